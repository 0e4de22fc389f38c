import { Link } from '@tanstack/react-router';
import { Age } from '../../../components/age.tsx';
import { Facts } from '../../../components/facts.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { useMayEach } from '../../../data/permissions.ts';
import { durationWords, type InstanceFacts } from './instance-facts.ts';

/** What is known of a virtual cluster, with the ways to what it is made of. */
export function AboutIt({ facts }: { readonly facts: InstanceFacts }) {
  const { spec, status, name, object, sleepAfter, deleteAfter } = facts;
  const cluster = spec.clusterRef?.cluster ?? '';
  const template = spec.templateRef?.name ?? '';
  const version = spec.templateRef?.version ?? '';
  const [mayCluster, mayTemplate] = useMayEach([
    { verb: 'get', kind: kinds.cluster, name: cluster },
    { verb: 'get', kind: kinds.template, name: template },
  ]);
  const owner = spec.owner?.user ?? (spec.owner?.team === undefined ? undefined : `team ${spec.owner.team}`);
  return (
    <Facts
      facts={{
        Name: <span className="mono">{name}</span>,
        Description: spec.description,
        Owner: owner,
        Kubernetes: status.kubernetesVersion,
        Template:
          spec.template !== undefined ? (
            'its own, written in it'
          ) : mayTemplate?.allowed === true && template !== '' ? (
            <>
              <Link to="/templates/$template" params={{ template }}>
                {template}
              </Link>
              {version === '' ? '' : ` ${version}`}
            </>
          ) : (
            [template, version].filter(Boolean).join(' ')
          ),
        Cluster:
          mayCluster?.allowed === true && cluster !== '' ? (
            <Link to="/hosts/$cluster" params={{ cluster }}>
              {cluster}
            </Link>
          ) : (
            cluster
          ),
        'Namespace there': <span className="mono">{spec.clusterRef?.namespace}</span>,
        'Managed elsewhere': spec.external === true ? 'yes' : undefined,
        Age: <Age since={object.metadata.creationTimestamp} />,
        'Last used':
          status.lastActivity === undefined ? (
            'not yet'
          ) : (
            <>
              <Age since={status.lastActivity} /> ago
            </>
          ),
        'Falls asleep': sleepAfter === undefined ? undefined : `after ${durationWords(sleepAfter)} without use`,
        'Is deleted': deleteAfter === undefined ? undefined : `after ${durationWords(deleteAfter)} without use`,
      }}
    />
  );
}
