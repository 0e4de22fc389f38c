import { Group, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { projectNamespace } from '../../../src/api/naming.ts';
import { type DetailTab, DetailTabs } from '../../components/object/detail-tabs.tsx';
import { LiveObjectView } from '../../components/object/live-object-view.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useObject } from '../../data/objects/use-object.ts';
import { AccessTab } from './detail/access-tab.tsx';
import { ConnectTab } from './detail/connect-tab.tsx';
import { InstanceActions } from './detail/instance-actions.tsx';
import { type InstanceState, instanceState } from './detail/instance-state.ts';
import { OverviewTab } from './detail/overview-tab.tsx';
import { useInstancePermissions } from './detail/use-instance-permissions.ts';

/** The page of a virtual cluster: overview, connection, access and YAML. */
export function InstancePage() {
  const { project, name } = useParams({ from: '/virtual-clusters/$project/$name' });
  const live = useObject(kinds.instance, { namespace: projectNamespace(project), name });
  return (
    <LiveObjectView live={live} what="virtual cluster" name={name} back={<BackToList />}>
      {(object) => <Instance key={object.metadata.uid ?? name} instance={instanceState(object)} />}
    </LiveObjectView>
  );
}

function BackToList() {
  return <Link to="/virtual-clusters">Virtual clusters</Link>;
}

function Instance({ instance }: { readonly instance: InstanceState }) {
  const { object, name, phase, spec } = instance;
  const permissions = useInstancePermissions(instance);
  const displayName = spec.displayName ?? '';
  const tabs: readonly DetailTab[] = [
    { id: 'overview', label: 'Overview', render: () => <OverviewTab instance={instance} permissions={permissions} /> },
    { id: 'connect', label: 'Connect', render: () => <ConnectTab instance={instance} permissions={permissions} /> },
    { id: 'access', label: 'Access', render: () => <AccessTab instance={instance} permissions={permissions} /> },
    {
      id: 'yaml',
      label: 'YAML',
      render: () => <ObjectEditor kind={kinds.instance} object={object} readOnly={!permissions.canChange} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={displayName === '' ? name : displayName}
        above={<BackToList />}
        about={
          <Group gap="xs" mt={4}>
            <StatusBadge status={phase} />
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
      <DetailTabs tabs={tabs} label="Virtual cluster sections" />
    </>
  );
}
