import { Alert, Anchor, Button, Group } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { textAt } from '../../../src/lib/json-path.ts';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { EditDetails } from '../../components/edit-details.tsx';
import { Icon } from '../../components/icon.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { displayNameOf } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useObject } from '../../data/use-object.ts';
import { AccessTab } from './access-tab.tsx';
import { ConnectionTab } from './connection-tab.tsx';
import { DeleteCluster } from './delete-cluster.tsx';
import { ImportTab } from './import-tab.tsx';
import { InstancesTab } from './instances-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';

const back = (
  <Anchor component={Link} to="/hosts" size="sm">
    Clusters
  </Anchor>
);

/** One cluster that virtual clusters run on. */
export function HostPage() {
  const { cluster: name } = useParams({ from: '/hosts/$cluster' });
  const live = useObject(kinds.cluster, { name });
  return (
    <LivePart live={live} what="cluster" name={name} back={back}>
      {(cluster) => <Host key={cluster.metadata.uid} cluster={cluster} />}
    </LivePart>
  );
}

function Host({ cluster }: { readonly cluster: KubeObject }) {
  const { name = '', deletionTimestamp } = cluster.metadata;
  const [open, setOpen] = useState<'details' | 'deletion'>();
  const close = () => setOpen(undefined);
  const [write, remove, look, agentKey] = useMayEach([
    { verb: 'patch', kind: kinds.cluster, name },
    { verb: 'delete', kind: kinds.cluster, name },
    { verb: 'get', kind: kinds.cluster, name, subresource: 'virtualclusters' },
    { verb: 'create', kind: kinds.cluster, name, subresource: 'accesskey' },
  ]);
  const isGoing = deletionTimestamp !== undefined;
  const tabs = [
    { id: 'overview', label: 'Overview', render: () => <OverviewTab cluster={cluster} /> },
    { id: 'instances', label: 'Virtual clusters', render: () => <InstancesTab cluster={name} /> },
    ...(look?.allowed === true
      ? [{ id: 'import', label: 'Import', render: () => <ImportTab cluster={cluster} /> }]
      : []),
    ...(agentKey?.allowed === true || write?.allowed === true
      ? [{ id: 'connection', label: 'Connection', render: () => <ConnectionTab cluster={cluster} /> }]
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
      <PageHeader
        title={displayNameOf(cluster)}
        above={back}
        about={textAt(cluster, 'spec', 'displayName') === '' ? undefined : <span className="mono">{name}</span>}
        actions={
          <Group gap="sm">
            {write?.allowed === true ? (
              <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('details')}>
                Edit
              </Button>
            ) : null}
            {remove?.allowed === true && !isGoing ? (
              <Button
                variant="default"
                leftSection={<Icon name="trash" size={16} />}
                onClick={() => setOpen('deletion')}
              >
                Disconnect
              </Button>
            ) : null}
          </Group>
        }
      />
      {isGoing ? (
        <Alert color="orange" mb="md" role="status" title="This cluster is being disconnected">
          It goes when no virtual cluster runs on it any more. Delete those first; it takes no new ones.
        </Alert>
      ) : null}
      <DetailTabs label="Parts of the cluster" tabs={tabs} />
      {open === 'details' ? (
        <EditDetails
          kind={kinds.cluster}
          object={cluster}
          aboutOwner="May change what the cluster is called."
          onClose={close}
        />
      ) : null}
      {open === 'deletion' ? <DeleteCluster cluster={cluster} onClose={close} /> : null}
    </>
  );
}
