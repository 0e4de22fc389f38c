import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
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
import { ExplorerContext } from './explorer-context.ts';

export interface AwakeInstancePageProps {
  readonly project: string;
  readonly name: string;
  /** The name of the page, shown before the name of the virtual cluster. */
  readonly title: string;
  /** The content, which sends requests to the virtual cluster. */
  readonly children: ReactNode;
}

/**
 * A page whose content uses the API of a virtual cluster, through the gateway and with the caller's permissions there.
 * While the virtual cluster cannot be used, a notice replaces the content.
 */
export function AwakeInstancePage({ project, name, ...content }: AwakeInstancePageProps) {
  const live = useObject(virtualClusterType.kind, { namespace: projectNamespace(project), name });
  return (
    <LiveObjectView live={live} what="virtual cluster" name={name} back={<Back project={project} name={name} />}>
      {(object) => (
        <InsideOf key={object.metadata.uid ?? name} instance={instanceState(virtualClusterType, object)} {...content} />
      )}
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

interface InsideOfProps extends Pick<AwakeInstancePageProps, 'title' | 'children'> {
  readonly instance: InstanceState;
}

function InsideOf({ instance, title, children }: InsideOfProps) {
  const { project, name, phase, spec } = instance;
  const permissions = useInstancePermissions(instance);
  const isAwake = instance.isUsable;
  // If the virtual cluster falls asleep, the open content stays mounted behind the notice and keeps the user's input.
  const [wasAwake, setWasAwake] = useState(isAwake);
  if (isAwake && !wasAwake) setWasAwake(true);
  return (
    <>
      <PageHeader
        title={`${title}: ${spec.displayName || name}`}
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
            {children}
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
