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

/** The explorer of a virtual cluster. It works through the gateway with the caller's own permissions inside. */
export function InsidePage() {
  const { project, name } = useParams({ from: '/virtual-clusters/$project/$name/inside' });
  const live = useObject(kinds.instance, { namespace: projectNamespace(project), name });
  return (
    <LivePart live={live} what="virtual cluster" name={name} back={<Back project={project} name={name} />}>
      {(object) => <InsideOf key={object.metadata.uid ?? name} instance={instanceFacts(object)} />}
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

function InsideOf({ instance }: { readonly instance: InstanceFacts }) {
  const { project, name, phase, spec } = instance;
  const permissions = useInstanceRights(instance);
  const isAwake = instance.isOpen;
  // If it falls asleep, the open content stays mounted behind the notice, with all input.
  const [wasAwake, setWasAwake] = useState(isAwake);
  if (isAwake && !wasAwake) setWasAwake(true);
  return (
    <>
      <PageHeader
        title={`Explorer: ${spec.displayName || name}`}
        above={<Back project={project} name={name} />}
        about={
          <Group gap="xs" mt={4}>
            <StatusBadge status={phase} />
            <span>You work with your own permissions in this virtual cluster.</span>
          </Group>
        }
      />
      {isAwake ? null : (
        <div className="card">
          <EmptyState
            {...unavailableNotice(instance)}
            action={
              <Group mt="sm">
                <WakeButton instance={instance} permissions={permissions} />
                <LinkButton to="/virtual-clusters/$project/$name" params={{ project, name }} variant="default">
                  View details
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

function unavailableNotice({ phase, name, status, sleep }: InstanceFacts): { title: string; text: string } {
  if (phase === 'Sleeping') {
    return {
      title: `${name} is asleep`,
      text:
        sleep === 'elsewhere'
          ? 'It was put to sleep on its cluster and must be woken there. Its data is kept.'
          : 'Its data is kept. Viewing this page does not wake it; use the button below.',
    };
  }
  if (phase === 'Terminating') return { title: `${name} is being deleted`, text: 'It can no longer be used.' };
  const message = status.message ?? '';
  if (phase === 'Failed') return { title: `${name} has failed`, text: message };
  return { title: `${name} is not ready yet`, text: message === '' ? 'It was just created.' : message };
}
