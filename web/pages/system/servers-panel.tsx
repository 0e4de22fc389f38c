import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReplicaList, type ReplicaStatus, replicasPath } from '../../../src/api/replicas/replica-list.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { sendJson } from '../../data/send.ts';
import { replicaProblems } from './replica-problems.ts';

/**
 * The interval in milliseconds at which the page requests the list of servers. Replicas report their state every
 * second.
 */
const refreshMs = 3_000;

/** A panel with the servers that share the store: version, state and share of the background work. */
export function ServersPanel() {
  const { data, error, refetch } = useQuery({
    queryKey: ['replicas'],
    queryFn: async ({ signal }) => await sendJson<ReplicaList>({ url: replicasPath, signal }),
    refetchInterval: refreshMs,
    retry: false,
  });
  const version = useQuery({
    queryKey: ['server-version'],
    queryFn: async ({ signal }) => await sendJson<{ gitVersion?: string }>({ url: '/version', signal }),
  });
  return (
    <Panel title="Servers">
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <LoadingIndicator message="Loading servers" /> : null}
      {data?.items.length === 0 ? (
        <Text size="sm">
          One server with its own store
          {version.data?.gitVersion === undefined ? '' : `, Kubernetes API version ${version.data.gitVersion}`}. Servers
          appear here when several share a store on etcd.
        </Text>
      ) : null}
      {data === undefined || data.items.length === 0 ? null : (
        <SimpleTable
          label="State of the servers"
          head={['Server', 'Status', 'Version', 'Cache age', 'Background work', 'Address']}
          rows={data.items.map((one) => ({ key: one.name, cells: cellsOf(one, data) }))}
        />
      )}
    </Panel>
  );
}

function cellsOf(one: ReplicaStatus, list: ReplicaList) {
  const problems = replicaProblems(one, list);
  return [
    <span key="name">
      {one.name}
      {one.isThis ? ' (this server)' : ''}
    </span>,
    <div key="status">
      <StatusBadge
        status={problems.length === 0 ? 'Healthy' : 'Degraded'}
        tone={problems.length === 0 ? 'good' : 'busy'}
      />
      {problems.map((problem) => (
        <Text key={problem} size="sm">
          {problem}
        </Text>
      ))}
    </div>,
    one.version,
    one.lagSeconds === undefined ? 'Unknown' : `${one.lagSeconds.toFixed(1)} s`,
    `${one.isLeader ? 'Leader, ' : ''}${one.shards} of 64 shards`,
    one.address === '' ? 'Unknown' : one.address,
  ];
}
