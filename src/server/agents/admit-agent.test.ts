import { describe, expect, it } from 'vitest';
import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { timestamp } from '../../api/meta.ts';
import { ManualClock } from '../../lib/clock.ts';
import { programVersion } from '../../lib/program-version.ts';
import { createTunnelAdmission } from './admit-agent.ts';

const clock = new ManualClock();
const minutesAgo = (minutes: number) => timestamp(clock.now() - minutes * 60_000);

/** Opens a tunnel of a new agent. An agent of another cluster has joined earlier, and `earlier` is its status. */
async function openTunnel(earlier: Partial<ClusterAgent>): Promise<void> {
  const agents: ClusterAgent[] = [
    { name: 'first', clusterUID: 'one', ...earlier },
    { name: 'second', clusterUID: 'two' },
  ];
  const status = { of: () => agents, merge: async () => {} };
  const admit = createTunnelAdmission({ serverVersion: programVersion, status, tunnels: { ofAgent: () => [] }, clock });
  await admit({ cluster: 'edge', agent: 'second' }, { version: programVersion, clusterUID: 'two' });
}

describe('a tunnel of an agent in another cluster than the agent that joined earlier', () => {
  it('is refused while that agent is connected', async () => {
    const connected = { connected: true, lastSeen: minutesAgo(6) };
    await expect(openTunnel(connected)).rejects.toThrow('runs in another Kubernetes cluster');
  });

  it('is accepted if that agent is not connected', async () => {
    await openTunnel({ connected: false, lastSeen: minutesAgo(1) });
  });

  it('is accepted if that agent was lost together with its server, so that its status still shows it as connected', async () => {
    await openTunnel({ connected: true, lastSeen: minutesAgo(13) });
  });
});
