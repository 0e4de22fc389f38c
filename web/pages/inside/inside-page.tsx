import { Group } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { projectNamespace } from '../../../src/api/naming.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { virtualClusterRoot } from '../../data/api-root.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useObject } from '../../data/use-object.ts';
import { type InstanceFacts, instanceFacts } from '../virtual-clusters/detail/instance-facts.ts';
import { useInstanceRights } from '../virtual-clusters/detail/use-instance-rights.ts';
import { WakeButton } from '../virtual-clusters/detail/wake-button.tsx';
import { Browser } from './browser.tsx';
import { InsideContext } from './inside-context.ts';

/** What is in a virtual cluster, through the gateway and with one's own rights in there. */
export function InsidePage() {
  const { project, name } = useParams({ from: '/virtual-clusters/$project/$name/inside' });
  const live = useObject(kinds.instance, { namespace: projectNamespace(project), name });
  return (
    <LivePart live={live} what="virtual cluster" name={name} back={<Back project={project} name={name} />}>
      {(object) => <InsideOf key={object.metadata.uid ?? name} facts={instanceFacts(object)} />}
    </LivePart>
  );
}

function Back({ project, name }: { readonly project: string; readonly name: string }) {
  return (
    <Group gap={6}>
      <Link to="/virtual-clusters">Virtual clusters</Link>
      <span aria-hidden="true">/</span>
      <Link to="/virtual-clusters/$project/$name" params={{ project, name }}>
        {name}
      </Link>
    </Group>
  );
}

function InsideOf({ facts }: { readonly facts: InstanceFacts }) {
  const { project, name, phase, spec } = facts;
  const rights = useInstanceRights(facts);
  const isAwake = facts.isOpen;
  // What was open when it fell asleep stays as it is behind the notice, with everything that was typed.
  const [wasAwake, setWasAwake] = useState(isAwake);
  if (isAwake && !wasAwake) setWasAwake(true);
  return (
    <>
      <PageHeader
        title={`Inside ${spec.displayName || name}`}
        above={<Back project={project} name={name} />}
        about={
          <Group gap="xs" mt={4}>
            <StatusBadge status={phase} />
            <span>Everything here is done with your own rights inside.</span>
          </Group>
        }
      />
      {isAwake ? null : (
        <div className="card">
          <EmptyState
            {...whyShut(facts)}
            action={
              <Group mt="sm">
                <WakeButton facts={facts} rights={rights} />
                <LinkButton to="/virtual-clusters/$project/$name" params={{ project, name }} variant="default">
                  See how it stands
                </LinkButton>
              </Group>
            }
          />
        </div>
      )}
      {wasAwake ? (
        <InsideContext value={{ root: virtualClusterRoot(project, name), project, name, isAwake }}>
          <div hidden={!isAwake} inert={!isAwake}>
            <Browser />
          </div>
        </InsideContext>
      ) : null}
    </>
  );
}

function whyShut({ phase, name, status, sleep }: InstanceFacts): { title: string; text: string } {
  if (phase === 'Sleeping') {
    return {
      title: `${name} is asleep`,
      text:
        sleep === 'elsewhere'
          ? 'It was put to sleep on its cluster, and is to be woken there. Nothing in it is lost.'
          : 'Nothing in it is lost. It is not woken by looking here, only if you say so.',
    };
  }
  if (phase === 'Terminating') return { title: `${name} is being deleted`, text: 'Nobody gets in any more.' };
  const message = status.message ?? '';
  if (phase === 'Failed') return { title: `${name} has failed`, text: message };
  return { title: `${name} cannot be used yet`, text: message === '' ? 'It was made a moment ago.' : message };
}
