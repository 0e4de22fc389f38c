import { availableParallelism } from 'node:os';
import { percentile } from '../figures.mjs';
import { busyMilliseconds, forgetPeaks, peakBytes, processorMilliseconds, residentBytes } from '../process-figures.mjs';

/**
 * Runs what is to be measured and gives what it took: seconds, processor time of the servers and of this client, and by
 * how much the servers' memory grew at most meanwhile, and how busy the machine was with anything else.
 */
export async function measured(pids, run) {
  forgetPeaks(pids);
  const memoryBefore = residentBytes(pids);
  const serverBefore = processorMilliseconds(pids);
  const clientBefore = process.cpuUsage();
  const busyBefore = busyMilliseconds();
  const begun = performance.now();
  const result = await run();
  const seconds = (performance.now() - begun) / 1000;
  const client = process.cpuUsage(clientBefore);
  const clientMilliseconds = (client.user + client.system) / 1000;
  const serverMilliseconds = processorMilliseconds(pids) - serverBefore;
  const others = busyMilliseconds() - busyBefore - serverMilliseconds - clientMilliseconds;
  return {
    result,
    seconds,
    serverMilliseconds,
    clientMilliseconds,
    /** Percent of the cores that were busy with something else: the more, the less the times are worth. */
    disturbed: Math.max(0, others / (10 * seconds * availableParallelism())),
    growthBytes: Math.max(0, peakBytes(pids) - memoryBefore),
  };
}

/** The figures of so many operations, each of which took so long. */
export function figuresOf({ seconds, serverMilliseconds, clientMilliseconds, disturbed }, count, times) {
  const sorted = Float64Array.from(times).sort();
  return {
    count,
    seconds,
    rate: count / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    serverCpu: serverMilliseconds / count,
    clientCpu: clientMilliseconds / count,
    disturbed,
  };
}
