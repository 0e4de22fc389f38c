import type { Cluster } from '../../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../../api/management/v1/cluster-agent.ts';
import { formatAge } from '../../../api/table.ts';
import { TablePrinter } from '../../output/print-table.ts';
import type { Terminal } from '../../output/terminal.ts';

const columns = ['Agent', 'Host Name', 'Connected', 'Seen', 'Version', 'Round Trip', 'Throughput', 'Key'];

/** Returns the lines of a table of the agents of a cluster; an empty list if it has no agent. */
export function agentLines(
  { status }: Pick<Cluster, 'status'>,
  { colors }: Pick<Terminal, 'colors'>,
  now: number,
): readonly string[] {
  const { agents = [] } = status ?? {};
  if (agents.length === 0) return [];
  const printer = new TablePrinter({ wide: false, colors });
  return [
    '',
    ...printer.lines({
      columnDefinitions: columns.map((name) => ({ name })),
      rows: agents.map((agent) => ({ cells: cellsOf(agent, now) })),
    }),
  ];
}

function cellsOf(agent: ClusterAgent, now: number): string[] {
  const { version, upgradeAvailable, roundTripMilliseconds, kilobytesPerSecond, readOnly } = agent;
  return [
    agent.name,
    agent.hostname ?? '-',
    `${agent.connected === true}`,
    agent.lastSeen === undefined ? '-' : formatAge(agent.lastSeen, now),
    `${version ?? '-'}${upgradeAvailable === undefined ? '' : ` (${upgradeAvailable} available)`}${readOnly === true ? ', read-only' : ''}`,
    roundTripMilliseconds === undefined ? '-' : `${roundTripMilliseconds} ms`,
    kilobytesPerSecond === undefined ? '-' : `${(kilobytesPerSecond / 1000).toFixed(1)} MB/s`,
    agent.keyFingerprint ?? 'access key',
  ];
}
