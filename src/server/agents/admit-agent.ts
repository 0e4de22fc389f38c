import { agentVersionFault, isAgentOutdated, readAgentVersion } from '../../api/agent/agent-versions.ts';
import type { AgentAnnouncement, AgentTunnelQuery } from '../../api/agent/policy-feed.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { badRequest, conflict } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Tunnels } from '../tunnels/tunnels.ts';
import type { AnnouncedFacts } from './agent-health.ts';
import type { AgentEntry, AgentStatus } from './agent-status.ts';
import { isLost } from './lost-agents.ts';

export interface AdmitTunnelOptions {
  readonly status: Pick<AgentStatus, 'merge' | 'of'>;
  readonly tunnels: Pick<Tunnels, 'ofAgent'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly serverVersion: string;
}

/** Throws 400 if this server does not work with agents of this version. */
export function refuseVersion(version: string, serverVersion: string): void {
  const fault = agentVersionFault(version, serverVersion);
  if (fault !== undefined) throw badRequest(fault);
}

/**
 * Returns a function that is called before a tunnel of an agent is used. The function rejects with StatusError if the
 * agent must not serve the cluster: its version is not supported, or it runs in another cluster than an agent that
 * joined earlier. With agents in two clusters, each request would reach one of the two at random.
 */
export function createTunnelAdmission({ status, tunnels, clock, serverVersion }: AdmitTunnelOptions) {
  return async (entry: AgentEntry, { version, clusterUID }: AgentTunnelQuery): Promise<void> => {
    refuseVersion(version, serverVersion);
    if (clusterUID === undefined) return;
    await status.merge(entry, { clusterUID });
    const { cluster, agent } = entry;
    const now = clock.now();
    const agents = status.of(cluster).filter((each) => each.connected !== false && !isLost(each, now));
    const others = agents.filter((each) => each.clusterUID !== undefined && each.clusterUID !== clusterUID);
    const position = agents.findIndex(({ name }) => name === agent);
    for (const other of others) {
      // `agents` is sorted by the time of joining, so the agent that joined later is refused.
      if (agents.indexOf(other) < position) throw anotherCluster(cluster, clusterUID, other);
      for (const tunnel of tunnels.ofAgent(cluster, other.name)) tunnel.destroy();
    }
  };
}

function anotherCluster(cluster: string, uid: string, other: ClusterAgent) {
  const detail = `the agent runs in another Kubernetes cluster (UID ${uid}) than the agent ${other.name} (UID ${other.clusterUID}); connect this cluster under another name, or revoke the keys of the other agents (flotilla cluster rejoin ${cluster})`;
  return conflict(groupResourceOf(clusterKind), cluster, detail);
}

/** Returns the facts of an announcement that are written to the status of the cluster. */
export function announcedFacts(announcement: AgentAnnouncement, serverVersion: string): AnnouncedFacts {
  const { version: sent, hostname, readOnly, release, isTunneled } = announcement;
  const version = readAgentVersion(sent);
  return {
    ...(isTunneled === true ? {} : { roundTripMilliseconds: undefined, kilobytesPerSecond: undefined }),
    ...(version === undefined ? {} : { version }),
    ...(version !== undefined && isAgentOutdated(version, serverVersion) ? { upgradeAvailable: serverVersion } : {}),
    ...(hostname ? { hostname } : {}),
    ...(readOnly === true ? { readOnly } : {}),
    ...(release === undefined ? {} : { release }),
  };
}
