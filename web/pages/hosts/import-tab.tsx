import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import type { ClusterVirtualClusters } from '../../../src/api/management/v1/subresources/cluster-virtual-clusters.ts';
import { Command } from '../../components/command.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { subresourceQuery } from '../../data/objects/subresource-query.ts';
import { type ImportableCluster, ImportDialog } from './import-dialog.tsx';

/** The interval at which the list is polled. The server is not notified about changes on a cluster. */
const pollIntervalMs = 60_000;

/** The maximum number of virtual clusters that the table shows. */
const maxShown = 200;

/** A tab with the virtual clusters on a cluster that belong to no project and can be imported. */
export function ImportTab({ cluster }: { readonly cluster: Cluster }) {
  const { name = '' } = cluster.metadata;
  const [chosen, setChosen] = useState<ImportableCluster>();
  const { data, error, isFetching, refetch } = useQuery({
    ...subresourceQuery<ClusterVirtualClusters>(kinds.cluster, { name }, 'virtualclusters'),
    refetchInterval: pollIntervalMs,
  });
  const isClosed = cluster.spec?.unusable === true;
  if (data === undefined) {
    return error === null ? (
      <LoadingIndicator message="Loading virtual clusters" />
    ) : (
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    );
  }
  const outside = data.virtualClusters.filter(({ instance }) => instance === undefined);
  const known = data.virtualClusters.length - outside.length;
  return (
    <>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel
        title="Available for import"
        actions={
          <Button
            variant="default"
            size="xs"
            loading={isFetching}
            leftSection={<Icon name="refresh" size={16} />}
            onClick={() => void refetch()}
          >
            Refresh
          </Button>
        }
      >
        {outside.length === 0 ? (
          <EmptyState
            title="Nothing to import"
            text={
              <>
                Virtual clusters on this cluster that belong to no project are listed here. You can also list them on
                the command line:
                <Command text={`flotilla importable ${name}`} />
              </>
            }
          />
        ) : (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {isClosed
                ? 'This cluster accepts no new virtual clusters, so nothing can be imported.'
                : 'An import does not restart or reinstall a virtual cluster.'}
            </Text>
            <ImportableTable found={outside.slice(0, maxShown)} isClosed={isClosed} onImport={setChosen} />
            {outside.length > maxShown ? (
              <Text size="sm" c="dimmed" mt="sm">
                And {outside.length - maxShown} more, which are shown after you import some of these.
              </Text>
            ) : null}
          </>
        )}
      </Panel>
      <KnownCount cluster={name} count={known} />
      {chosen === undefined ? null : (
        <ImportDialog
          cluster={name}
          found={chosen}
          onClose={() => {
            setChosen(undefined);
            void refetch();
          }}
        />
      )}
    </>
  );
}

interface ImportableTableProps {
  readonly found: readonly ClusterVirtualClusters['virtualClusters'][number][];
  /** True if the cluster does not accept new virtual clusters. */
  readonly isClosed: boolean;
  onImport(cluster: ImportableCluster): void;
}

function ImportableTable({ found, isClosed, onImport }: ImportableTableProps) {
  return (
    <SimpleTable
      label="Virtual clusters available for import"
      head={['Name', 'Namespace', 'Status', 'Version', '']}
      rows={found.map((cluster) => ({
        key: keyOf(cluster),
        cells: [
          cluster.name,
          <span key="namespace" className="mono">
            {cluster.namespace}
          </span>,
          <StatusBadge key="status" status={cluster.status ?? ''} />,
          cluster.version ?? '–',
          <Button
            key="import"
            size="compact-sm"
            variant="light"
            disabled={isClosed}
            aria-label={`Import ${cluster.name}`}
            onClick={() => onImport(cluster)}
          >
            Import
          </Button>,
        ],
      }))}
    />
  );
}

/** Shows how many virtual clusters on the cluster are already in a project. */
function KnownCount({ cluster, count }: { readonly cluster: string; readonly count: number }) {
  if (count === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {count === 1 ? '1 virtual cluster is' : `${count} virtual clusters are`} already in a project:{' '}
      <Link to="/hosts/$cluster" params={{ cluster }} search={{ tab: 'instances' }}>
        view virtual clusters
      </Link>
      .
    </Text>
  );
}

function keyOf({ namespace, name }: ImportableCluster): string {
  return `${namespace}/${name}`;
}
