import { Group } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { projectNamespace } from '../../../src/api/naming.ts';
import { quarantinedReason } from '../../../src/api/quarantined-reason.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LiveObjectView } from '../../components/object/live-object-view.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { virtualClusterRoot } from '../../data/api-root.ts';
import { virtualClusterType } from '../../data/instance-types.ts';
import { useObject } from '../../data/objects/use-object.ts';
import { type InstanceState, instanceState } from '../instances/detail/instance-state.ts';
import { useInstancePermissions } from '../instances/detail/use-instance-permissions.ts';
import { WakeButton } from '../instances/detail/wake-button.tsx';
import { Explorer } from './explorer.tsx';
import { ExplorerContext } from './explorer-context.ts';

/**
 * The explorer page of a virtual cluster. Requests use the gateway and the caller's permissions in the virtual cluster.
 */
export function InsidePage() {
  const { project, name } = useParams({ from: '/virtual-clusters/$project/$name/inside' });
  const live = useObject(virtualClusterType.kind, { namespace: projectNamespace(project), name });
  return (
    <LiveObjectView live={live} what="virtual cluster" name={name} back={<Back project={project} name={name} />}>
      {(object) => <InsideOf key={object.metadata.uid ?? name} instance={instanceState(virtualClusterType, object)} />}
    </LiveObjectView>
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

function InsideOf({ instance }: { readonly instance: InstanceState }) {
  const { project, name, phase, spec } = instance;
  const permissions = useInstancePermissions(instance);
  const isAwake = instance.isUsable;
  // If the virtual cluster falls asleep, the open content stays mounted behind the notice and keeps the user's input.
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
        <ExplorerContext value={{ root: virtualClusterRoot(project, name), project, name, isAwake }}>
          <div hidden={!isAwake} inert={!isAwake}>
            <Explorer />
          </div>
        </ExplorerContext>
      ) : null}
    </>
  );
}

function unavailableNotice({ phase, name, status, sleep }: InstanceState): { title: string; text: string } {
  if (phase === 'Sleeping') {
    return {
      title: `${name} is asleep`,
      text:
        sleep === 'elsewhere'
          ? 'It was put to sleep on its cluster and must be woken there.'
          : 'Viewing this page does not wake it; use the button below.',
    };
  }
  if (phase === 'Terminating') return { title: `${name} is being deleted`, text: 'It can no longer be used.' };
  const message = status.message ?? '';
  if (phase === 'Failed') return { title: `${name} has failed`, text: message };
  if (phase === quarantinedReason) return { title: `${name} is quarantined`, text: message };
  return { title: `${name} is not ready yet`, text: message === '' ? 'It was just created.' : message };
}
