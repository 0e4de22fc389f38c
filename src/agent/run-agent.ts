import { defaultWorkerLimits } from '../builtin/workers/default-limits.ts';
import type { PlaneThreadData } from '../builtin/workers/plane-thread.ts';
import { systemClock } from '../lib/clock.ts';
import { setHeapGrowth } from '../process/heap-growth.ts';
import { openLog } from '../process/open-log.ts';
import { watchShutdownSignals } from '../process/shutdown-signals.ts';
import { threadStarter } from '../process/threads/start-thread.ts';
import { type AgentFlags, readAgentOptions } from './read-options.ts';
import { startAgent } from './start-agent.ts';

/**
 * The time after the start of the shutdown at which all remaining work is aborted, in milliseconds. The shutdown must
 * end within ten seconds.
 */
const maxShutdownMs = 9_500;

/**
 * Runs the command `flotilla agent` until a signal stops it. Resolves to the exit code; rejects if the agent cannot
 * start.
 */
export async function runAgent(flags: AgentFlags): Promise<number> {
  const options = readAgentOptions(flags);
  const log = openLog(options.logLevel);
  const startPlaneThread = threadStarter<PlaneThreadData>('plane-thread', defaultWorkerLimits.heapBytes);
  const signals = watchShutdownSignals(process, () => process.exit(1));
  const stopping = new AbortController();
  void signals.firstSignal.then(() => stopping.abort(new Error('the agent is shutting down')));
  const agent = await startAgent(options, { clock: systemClock, log, startPlaneThread, stopping: stopping.signal });
  process.stdout.write(`ready ${agent.url}\n`);
  setHeapGrowth();
  await signals.firstSignal;
  const forceExit = setTimeout(() => process.exit(0), maxShutdownMs);
  await agent.close();
  clearTimeout(forceExit);
  return 0;
}
