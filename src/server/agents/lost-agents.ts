import { clusterKind } from '../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { RevisionCheck } from '../../store/store.ts';
import type { AgentStatus } from './agent-status.ts';

/**
 * The time after which an agent that was not seen counts as not connected, even if its status shows that it is
 * connected. This happens if the server to which the agent was connected has ended without writing the status. The
 * status of a connected agent is written every five minutes. The longer limit allows for a failed write and for
 * differences between the clocks of servers.
 */
const maxUnseenMs = 12 * 60_000;

const checkIntervalMs = 60_000;

/** True if the status shows an agent as connected, but the agent was not seen for too long. */
export function isLost({ connected, lastSeen }: ClusterAgent, now: number): boolean {
  return connected === true && now - Date.parse(lastSeen ?? '') > maxUnseenMs;
}

export interface LostAgentsOptions {
  readonly kinds: KindStores;
  readonly status: Pick<AgentStatus, 'merge'>;
  /** The check for all writes (`RequestContext.fence`). */
  readonly fence: RevisionCheck | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Marks agents that were not seen for too long as not connected. The returned function stops this, and resolves after
 * the last write.
 */
export function showLostAgents({ kinds, status, fence, clock, log }: LostAgentsOptions): () => Promise<void> {
  let isStopped = false;
  let cancel = () => {};
  let running = Promise.resolve();

  async function check(): Promise<void> {
    for (const { object } of [...storeOf(kinds, clusterKind).peekAll()]) {
      const { name: cluster = '' } = object.metadata;
      for (const agent of object.status?.agents ?? []) {
        if (isStopped) return;
        if (!isLost(agent, clock.now())) continue;
        await status.merge(
          { cluster, agent: agent.name },
          (entry) => (isLost(entry, clock.now()) ? { connected: false, roundTripMilliseconds: undefined } : {}),
          fence,
        );
      }
    }
  }

  const run = () => {
    running = check()
      .catch((error: unknown) => {
        if (!isStopped) log.warn({ error: String(error) }, 'cannot write the status of agents; retrying');
      })
      .then(() => {
        if (!isStopped) cancel = clock.after(checkIntervalMs, run);
      });
  };
  run();
  return async () => {
    isStopped = true;
    cancel();
    await running;
  };
}
