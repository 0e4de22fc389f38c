import { mkdirSync } from 'node:fs';
import { untilOnline } from '../agent.mjs';
import { mebibytes } from '../figures.mjs';
import { residentBytes } from '../process-figures.mjs';
import { buildAgentFleet, startAgentFleet } from '../tunnel/start-agent-fleet.mjs';

/**
 * Measures the memory that idle agents with tunnels add to the server, and the CPU time of the server for these agents.
 */
export async function idleAgents(session) {
  if (!session.hasPlanes) return;
  const folder = session.folder('idle-agents');
  mkdirSync(folder, { recursive: true });
  const program = await buildAgentFleet(folder);
  await session.start('idle-agents', { inspect: true });
  const { sizes, target, signal } = session;
  const agents = await session.run('makeAgents', { count: sizes.idleAgents });
  await session.settle();
  // Makes the server collect garbage before its memory is measured.
  await session.liveHeap();
  const before = residentBytes(target.pids);
  const fleet = await startAgentFleet(program, { management: target.url, authority: target.ca, agents, signal });
  try {
    for (const { cluster } of agents) await untilOnline(session, cluster);
    await session.settle();
    await session.liveHeap();
    const growth = mebibytes(residentBytes(target.pids) - before);
    const { serverCpu, disturbed } = await session.measure('idle agents', 'rest', { seconds: 2 * sizes.idleSeconds });
    session.note('tunnel-idle', `${sizes.idleAgents} idle agents with two tunnels each, CPU per second`, {
      growth,
      serverCpu,
      disturbed,
    });
  } finally {
    await fleet.stop();
  }
}
