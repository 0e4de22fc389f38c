import { Alert } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditDetails } from '../../components/form/edit-details.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { ObjectHeader } from '../../components/object/object-header.tsx';
import { ObjectPage } from '../../components/object/object-page.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { UsageTab } from '../../components/usage/usage-tab.tsx';
import { spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { AccessTab } from './access-tab.tsx';
import { ConnectionTab } from './connection-tab.tsx';
import { DeleteCluster } from './delete-cluster.tsx';
import { ImportTab } from './import-tab.tsx';
import { InstancesTab } from './instances-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';

const list = { to: '/hosts', label: 'Clusters' } as const;

/** The page of a cluster. */
export function HostPage() {
  const { cluster: name } = useParams({ from: '/hosts/$cluster' });
  return (
    <ObjectPage kind={kinds.cluster} name={name} what="cluster" list={list}>
      {(cluster, back) => <Host key={cluster.metadata.uid} cluster={cluster} back={back} />}
    </ObjectPage>
  );
}

function Host({ cluster, back }: { readonly cluster: Cluster; readonly back: ReactNode }) {
  const { name = '', deletionTimestamp } = cluster.metadata;
  const [open, setOpen] = useState<'details' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [write, remove, listImports, agentKey, readUsage] = usePermissions([
    { verb: 'patch', kind: kinds.cluster, name },
    { verb: 'delete', kind: kinds.cluster, name },
    { verb: 'get', kind: kinds.cluster, name, subresource: 'virtualclusters' },
    { verb: 'create', kind: kinds.cluster, name, subresource: 'accesskey' },
    { verb: 'get', kind: kinds.cluster, name, subresource: 'usage' },
  ]);
  const isTerminating = deletionTimestamp !== undefined;
  const tabs = [
    { id: 'overview', label: 'Overview', render: () => <OverviewTab cluster={cluster} /> },
    {
      id: 'instances',
      label: 'Virtual clusters',
      render: () => <InstancesTab type={virtualClusterType} cluster={name} />,
    },
    { id: 'spaces', label: 'Spaces', render: () => <InstancesTab type={spaceType} cluster={name} /> },
    ...(listImports?.allowed === true
      ? [{ id: 'import', label: 'Import', render: () => <ImportTab cluster={cluster} /> }]
      : []),
    ...(agentKey?.allowed === true || write?.allowed === true
      ? [{ id: 'connection', label: 'Connection', render: () => <ConnectionTab cluster={cluster} /> }]
      : []),
    ...(readUsage?.allowed === true
      ? [
          {
            id: 'usage',
            label: 'Usage',
            render: () => <UsageTab owner={{ kind: kinds.cluster, place: { name } }} />,
          },
        ]
      : []),
    { id: 'access', label: 'Access', render: () => <AccessTab cluster={cluster} /> },
    {
      id: 'yaml',
      label: 'YAML',
      render: () => <ObjectEditor kind={kinds.cluster} object={cluster} readOnly={write?.allowed !== true} />,
    },
  ];
  return (
    <>
      <ObjectHeader object={cluster} back={back}>
        <PermittedButton isPermitted={write?.allowed} icon="edit" onClick={() => setOpen('details')}>
          Edit details
        </PermittedButton>
        {remove?.allowed === true && !isTerminating ? (
          <DeleteButton onClick={() => setOpen('deletion')}>Disconnect</DeleteButton>
        ) : null}
      </ObjectHeader>
      {isTerminating ? (
        <Alert color="orange" mb="md" role="status" title="This cluster is being disconnected">
          It is removed after all virtual clusters on it are deleted. It accepts no new virtual clusters.
        </Alert>
      ) : null}
      <DetailTabs label="Cluster sections" tabs={tabs} />
      {open === 'details' ? (
        <EditDetails
          kind={kinds.cluster}
          object={cluster}
          aboutOwner="The owner may change the display name and description."
          onClose={close}
        />
      ) : null}
      {open === 'deletion' ? <DeleteCluster cluster={cluster} onClose={close} /> : null}
    </>
  );
}
