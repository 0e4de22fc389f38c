import { mebibytes, median } from '../figures.mjs';
import { residentBytes } from '../process-figures.mjs';

/** Measures the time until an empty server is ready, on the first and on later starts, and the memory it then uses. */
export async function start(session) {
  const { sizes } = session;
  const first = [];
  const again = [];
  const memory = [];
  for (let round = 0; round < sizes.starts; round++) {
    session.signal.throwIfAborted();
    first.push((await session.start(`empty-${round}`)).figures);
    again.push((await session.restart()).figures);
    memory.push(await idleMemory(session));
    await session.stop();
  }
  session.note('first-start', 'first start, empty', middle(first));
  session.note('start', 'start, empty', middle(again));
  session.note('idle', 'idle, empty', { memory: median(memory) });
}

function middle(starts) {
  return {
    milliseconds: median(starts.map(({ milliseconds }) => milliseconds)),
    serverCpu: median(starts.map(({ serverCpu }) => serverCpu)),
  };
}

export async function idleMemory(session, namespace) {
  await session.settle(namespace);
  return mebibytes(residentBytes(session.target.pids));
}
