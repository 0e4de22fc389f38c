import type { ClusterAgent } from '../../../src/api/management/v1/cluster-agent.ts';
import { Age } from '../../components/object/age.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { Panel } from '../../components/panel.tsx';

/** A panel for each agent of a cluster. */
export function AgentList({ agents }: { readonly agents: readonly ClusterAgent[] }) {
  return agents.map((agent) => (
    <Panel key={agent.name} title={`Agent ${agent.hostname ?? agent.name}`}>
      <DetailList
        items={{
          Connected: agent.connected === true ? 'Yes' : 'No',
          'Last seen': agent.lastSeen === undefined ? undefined : <Age since={agent.lastSeen} />,
          Version: versionText(agent),
          Mode: agent.readOnly === true ? 'Read-only' : undefined,
          'Round trip time':
            agent.roundTripMilliseconds === undefined ? undefined : `${agent.roundTripMilliseconds} ms`,
          'Highest throughput':
            agent.kilobytesPerSecond === undefined ? undefined : `${(agent.kilobytesPerSecond / 1000).toFixed(1)} MB/s`,
          Joined: agent.joinedAt === undefined ? undefined : <Age since={agent.joinedAt} />,
          'Access key': agent.name,
          'Key fingerprint':
            agent.keyFingerprint === undefined ? undefined : <span className="mono">{agent.keyFingerprint}</span>,
        }}
      />
    </Panel>
  ));
}

/**
 * Returns the version of an agent. If an upgrade is available, the text also contains the newer version of the server.
 */
function versionText({ version, upgradeAvailable }: ClusterAgent): string | undefined {
  if (version === undefined || upgradeAvailable === undefined) return version;
  return `${version}, ${upgradeAvailable} available`;
}
