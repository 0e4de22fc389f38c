import { Link } from '@tanstack/react-router';
import { Age } from '../../../components/object/age.tsx';
import { DetailList } from '../../../components/object/detail-list.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { usePermissions } from '../../../data/permissions.ts';
import { durationText, type InstanceState } from './instance-state.ts';

/** The details of an instance, with links to its cluster and template. */
export function InstanceDetails({ instance }: { readonly instance: InstanceState }) {
  const { type, spec, status, name, object, sleepAfter, deleteAfter } = instance;
  const cluster = spec.clusterRef?.cluster ?? '';
  const template = spec.templateRef?.name ?? '';
  const version = spec.templateRef?.version ?? '';
  const [mayCluster, mayTemplate] = usePermissions([
    { verb: 'get', kind: kinds.cluster, name: cluster },
    { verb: 'get', kind: type.template.kind, name: template },
  ]);
  const owner = spec.owner?.user ?? (spec.owner?.team === undefined ? undefined : `team ${spec.owner.team}`);
  return (
    <DetailList
      items={{
        Name: <span className="mono">{name}</span>,
        Description: spec.description,
        Owner: owner,
        'Kubernetes version': 'kubernetesVersion' in status ? status.kubernetesVersion : undefined,
        Template:
          spec.template !== undefined ? (
            'Inline template'
          ) : mayTemplate?.allowed === true && template !== '' ? (
            <>
              <Link to={type.template.detailPath} params={{ template }}>
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
        [type.hasExplorer ? 'Host namespace' : 'Namespace']: <span className="mono">{spec.clusterRef?.namespace}</span>,
        'Managed externally': 'external' in spec && spec.external === true ? 'Yes' : undefined,
        Age: <Age since={object.metadata.creationTimestamp} />,
        'Last used':
          status.lastActivity === undefined ? (
            'Never'
          ) : (
            <>
              <Age since={status.lastActivity} /> ago
            </>
          ),
        'Auto-sleep': sleepAfter === undefined ? undefined : `After ${durationText(sleepAfter)} without use`,
        'Auto-delete': deleteAfter === undefined ? undefined : `After ${durationText(deleteAfter)} without use`,
      }}
    />
  );
}
