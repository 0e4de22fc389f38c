import { Group, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { projectNamespace } from '../../../src/api/naming.ts';
import { EffectiveAccess } from '../../components/access/effective-access.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { ActivityTab } from '../../components/object/activity-tab.tsx';
import { ProtectedBadge } from '../../components/object/deletion-protection.tsx';
import { type DetailTab, DetailTabs } from '../../components/object/detail-tabs.tsx';
import { LiveObjectView } from '../../components/object/live-object-view.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { UsageTab } from '../../components/usage/usage-tab.tsx';
import { type InstanceType, spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { useObject } from '../../data/objects/use-object.ts';
import { BackToList } from './back-to-list.tsx';
import { AccessTab } from './detail/access-tab.tsx';
import { ConnectTab } from './detail/connect-tab.tsx';
import { CredentialsPanel } from './detail/credentials-panel.tsx';
import { InstanceActions } from './detail/instance-actions.tsx';
import { type InstanceState, instanceState } from './detail/instance-state.ts';
import { OverviewTab } from './detail/overview-tab.tsx';
import { useInstancePermissions } from './detail/use-instance-permissions.ts';

/** The log of the control plane. Its script is loaded on first use. */
const ControlPlaneLog = lazyComponent(
  async () => (await import('./detail/control-plane-log.tsx')).ControlPlaneLog,
  'Loading log',
);

/** The page of a virtual cluster: overview, connection, access, log and YAML. */
export function InstancePage() {
  const place = useParams({ from: '/virtual-clusters/$project/$name' });
  return <InstanceView type={virtualClusterType} {...place} />;
}

/** The page of a space. */
export function SpacePage() {
  const place = useParams({ from: '/spaces/$project/$name' });
  return <InstanceView type={spaceType} {...place} />;
}

interface InstanceViewProps {
  readonly type: InstanceType;
  readonly project: string;
  readonly name: string;
}

function InstanceView({ type, project, name }: InstanceViewProps) {
  const live = useObject(type.kind, { namespace: projectNamespace(project), name });
  return (
    <LiveObjectView live={live} what={type.noun} name={name} back={<BackToList type={type} />}>
      {(object) => <Instance key={object.metadata.uid ?? name} instance={instanceState(type, object)} />}
    </LiveObjectView>
  );
}

function activityTab({ type, namespace, name }: InstanceState): DetailTab {
  const query = { namespace, about: { kind: type.kind, name } };
  return { id: 'activity', label: 'Activity', render: () => <ActivityTab query={query} /> };
}

function Instance({ instance }: { readonly instance: InstanceState }) {
  const { type, object, name, phase, spec } = instance;
  const permissions = useInstancePermissions(instance);
  const displayName = spec.displayName ?? '';
  const tabs: readonly DetailTab[] = [
    { id: 'overview', label: 'Overview', render: () => <OverviewTab instance={instance} permissions={permissions} /> },
    { id: 'connect', label: 'Connect', render: () => <ConnectTab instance={instance} permissions={permissions} /> },
    {
      id: 'access',
      label: 'Access',
      render: () => (
        <>
          <AccessTab instance={instance} permissions={permissions} />
          {type.hasExplorer && phase === 'Ready' ? (
            <CredentialsPanel namespace={instance.namespace} name={name} />
          ) : null}
        </>
      ),
    },
    ...(permissions.canReviewAccess
      ? [
          {
            id: 'effective-access',
            label: 'Effective access',
            render: () => <EffectiveAccess subject={{ [type.reviewMember]: { project: instance.project, name } }} />,
          },
        ]
      : []),
    ...(type.hasExplorer && permissions.canReadLog
      ? [{ id: 'logs', label: 'Logs', render: () => <ControlPlaneLog instance={instance} /> }]
      : []),
    {
      id: 'usage',
      label: 'Usage',
      render: () => <UsageTab owner={{ kind: type.kind, place: { namespace: instance.namespace, name } }} />,
    },
    activityTab(instance),
    {
      id: 'yaml',
      label: 'YAML',
      render: () => <ObjectEditor kind={type.kind} object={object} readOnly={!permissions.canChange} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={displayName === '' ? name : displayName}
        above={<BackToList type={type} />}
        about={
          <Group gap="xs" mt={4}>
            <StatusBadge status={phase} />
            <ProtectedBadge object={object} />
            {displayName === '' || displayName === name ? null : <span className="mono">{name}</span>}
            <Text size="sm" c="dimmed">
              in project{' '}
              <Link to="/projects/$project" params={{ project: instance.project }}>
                {instance.project}
              </Link>
            </Text>
          </Group>
        }
        actions={<InstanceActions instance={instance} permissions={permissions} />}
      />
      <DetailTabs tabs={tabs} label={`${type.title} sections`} />
    </>
  );
}
