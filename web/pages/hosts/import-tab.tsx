import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ClusterVirtualClusters } from '../../../src/api/management/v1/cluster-virtual-clusters.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { flagAt } from '../../../src/lib/json-path.ts';
import { Command } from '../../components/command.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { subresourceQuery } from '../../data/query-object.ts';
import { ImportDialog } from './import-dialog.tsx';

export type Found = ClusterVirtualClusters['virtualClusters'][number];

/** Nobody tells the server what others make on a cluster: it looks. */
const lookEvery = 60_000;

/** Somebody imports them one by one. */
const mostShown = 200;

/** The virtual clusters that run on a cluster, and the way of those outside of any project into one. */
export function ImportTab({ cluster }: { readonly cluster: KubeObject }) {
  const { name = '' } = cluster.metadata;
  const [chosen, setChosen] = useState<Found>();
  const { data, error, isFetching, refetch } = useQuery({
    ...subresourceQuery<ClusterVirtualClusters>(kinds.cluster, { name }, 'virtualclusters'),
    refetchInterval: lookEvery,
  });
  const isClosed = flagAt(cluster, 'spec', 'unusable');
  if (data === undefined) {
    return error === null ? (
      <Waiting words="Looking what runs on the cluster" />
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
        title="Can be imported"
        actions={
          <Button
            variant="default"
            size="xs"
            loading={isFetching}
            leftSection={<Icon name="refresh" size={16} />}
            onClick={() => void refetch()}
          >
            Look again
          </Button>
        }
      >
        {outside.length === 0 ? (
          <EmptyState
            title="Nothing to import"
            text={
              <>
                A virtual cluster that somebody made on this cluster, outside of any project, shows up here. The same on
                the command line:
                <Command text={`flotilla importable ${name}`} />
              </>
            }
          />
        ) : (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {isClosed
                ? 'The cluster takes no new virtual clusters, so nothing can be imported now.'
                : 'An import leaves a virtual cluster as it is: nothing is restarted or installed anew.'}
            </Text>
            <SimpleTable
              label="Virtual clusters that can be imported"
              head={['Name', 'Namespace', 'State', 'Version', '']}
              rows={outside.slice(0, mostShown).map((found) => ({
                key: keyOf(found),
                cells: [
                  found.name,
                  <span key="namespace" className="mono">
                    {found.namespace}
                  </span>,
                  <StatusBadge key="state" status={found.status ?? ''} />,
                  found.version ?? '–',
                  <Button
                    key="import"
                    size="compact-sm"
                    variant="light"
                    disabled={isClosed}
                    aria-label={`Import ${found.name}`}
                    onClick={() => setChosen(found)}
                  >
                    Import
                  </Button>,
                ],
              }))}
            />
            {outside.length > mostShown ? (
              <Text size="sm" c="dimmed" mt="sm">
                And {outside.length - mostShown} more; they show up when these are imported.
              </Text>
            ) : null}
          </>
        )}
      </Panel>
      {known === 0 ? null : (
        <Text size="sm" c="dimmed">
          {known === 1 ? 'One virtual cluster here is' : `${known} virtual clusters here are`} in a project already:{' '}
          <Link to="/hosts/$cluster" params={{ cluster: name }} search={{ tab: 'instances' }}>
            see what runs on the cluster
          </Link>
          .
        </Text>
      )}
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

function keyOf({ namespace, name }: Found): string {
  return `${namespace}/${name}`;
}
