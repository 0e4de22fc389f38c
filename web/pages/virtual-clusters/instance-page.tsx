import { Group, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { projectNamespace } from '../../../src/api/naming.ts';
import { type DetailTab, DetailTabs } from '../../components/detail-tabs.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useObject } from '../../data/use-object.ts';
import { AccessTab } from './detail/access-tab.tsx';
import { ConnectTab } from './detail/connect-tab.tsx';
import { InstanceActions } from './detail/instance-actions.tsx';
import { type InstanceFacts, instanceFacts } from './detail/instance-facts.ts';
import { OverviewTab } from './detail/overview-tab.tsx';
import { useInstanceRights } from './detail/use-instance-rights.ts';

/** One virtual cluster: how it stands, how to get into it, who else may, and all of it as YAML. */
export function InstancePage() {
  const { project, name } = useParams({ from: '/virtual-clusters/$project/$name' });
  const live = useObject(kinds.instance, { namespace: projectNamespace(project), name });
  return (
    <LivePart live={live} what="virtual cluster" name={name} back={<BackToList />}>
      {(object) => <Instance key={object.metadata.uid ?? name} facts={instanceFacts(object)} />}
    </LivePart>
  );
}

function BackToList() {
  return <Link to="/virtual-clusters">Virtual clusters</Link>;
}

function Instance({ facts }: { readonly facts: InstanceFacts }) {
  const { object, name, phase, spec } = facts;
  const rights = useInstanceRights(facts);
  const displayName = spec.displayName ?? '';
  const tabs: readonly DetailTab[] = [
    { id: 'overview', label: 'Overview', render: () => <OverviewTab facts={facts} rights={rights} /> },
    { id: 'connect', label: 'Connect', render: () => <ConnectTab facts={facts} rights={rights} /> },
    { id: 'access', label: 'Access', render: () => <AccessTab facts={facts} rights={rights} /> },
    {
      id: 'yaml',
      label: 'YAML',
      render: () => <ObjectEditor kind={kinds.instance} object={object} readOnly={!rights.canChange} />,
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
              in the project{' '}
              <Link to="/projects/$project" params={{ project: facts.project }}>
                {facts.project}
              </Link>
            </Text>
          </Group>
        }
        actions={<InstanceActions facts={facts} rights={rights} />}
      />
      <DetailTabs tabs={tabs} label={`Parts of ${name}`} />
    </>
  );
}
