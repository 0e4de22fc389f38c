import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { useCreateDialog } from '../../components/list/use-create-dialog.ts';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { displayNameColumn } from '../../data/objects/display-name.ts';
import { usePermission } from '../../data/permissions.ts';
import { columnText, loadedCount } from '../../data/rows/fleet-counts.ts';
import type { ListColumn } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';
import { clusterStatus } from './cluster-info.ts';
import { ConnectCluster } from './connect-cluster.tsx';

const statusColumn: ListColumn<Cluster> = {
  name: 'Status',
  about: 'Online if the server can reach the cluster.',
  isWide: false,
  text: ({ object }) => clusterStatus(object),
};
/** Columns from the server that `statusColumn` replaces. */
const leaveOut = ['Status', 'Online'];
const filters = ['Status', 'Reached By'];

/** The page that lists the clusters that host virtual clusters. */
export function HostsPage() {
  const rows = useRows({ kind: kinds.cluster, objects: true });
  const instances = useRows({ kind: kinds.instance });
  const seesAll = useSeesAll(kinds.instance);
  const { allowed: mayConnect } = usePermission({ verb: 'create', kind: kinds.cluster });
  const connection = useCreateDialog();
  const extraColumns = useMemo(() => {
    const clusterOf = columnText(instances, 'Cluster');
    const counts = new Map<string, number>();
    for (const row of instances.rows) counts.set(clusterOf(row), (counts.get(clusterOf(row)) ?? 0) + 1);
    const isCounted = loadedCount(instances) !== undefined;
    const count = ({ metadata }: Row) => counts.get(metadata.name ?? '') ?? 0;
    return [
      displayNameColumn,
      statusColumn,
      {
        name: 'Virtual Clusters',
        about: 'Virtual clusters on this cluster that you can see.',
        isWide: false,
        // Shows zero only to users who may see all virtual clusters. For other users, a cluster without visible virtual
        // clusters may still host some.
        text: (row: Row) => (isCounted && (seesAll || count(row) > 0) ? String(count(row)) : ''),
        rank: count,
      },
    ];
  }, [instances, seesAll]);
  const connect = mayConnect ? (
    <Button onClick={connection.open} leftSection={<Icon name="plus" />}>
      Connect cluster
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Clusters" about="The clusters that virtual clusters run on." actions={connect} />
      <ResourceList
        what="clusters"
        rows={rows}
        extraColumns={extraColumns}
        hiddenColumns={leaveOut}
        filters={filters}
        cells={{
          Name: (_, text) => (
            <Link to="/hosts/$cluster" params={{ cluster: text }}>
              {text}
            </Link>
          ),
          Status: (_, text) => <StatusBadge status={text} />,
        }}
        empty={
          mayConnect
            ? {
                title: 'No clusters connected',
                text: (
                  <>
                    Virtual clusters need a cluster to run on. Connect one here or on the command line:
                    <Command text="flotilla cluster add europe --kubeconfig europe.yaml" />
                  </>
                ),
                action: connect,
              }
            : {
                title: 'No clusters',
                text: 'You see only the clusters that your projects may use. Administrators can connect clusters.',
              }
        }
      />
      {connection.isOpen && mayConnect ? <ConnectCluster onClose={connection.close} /> : null}
    </>
  );
}
