import { availableParallelism } from 'node:os';
import { percentile } from '../figures.mjs';
import { busyMilliseconds, forgetPeaks, peakBytes, processorMilliseconds, residentBytes } from '../process-figures.mjs';

/**
 * Runs a function and returns its cost: seconds, CPU time of the servers and of this client, the peak memory growth of
 * the servers, and the CPU load of other processes meanwhile.
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
    /** The percentage of CPU time that other processes used: the higher, the less reliable are the latencies. */
    disturbed: Math.max(0, others / (10 * seconds * availableParallelism())),
    growthBytes: Math.max(0, peakBytes(pids) - memoryBefore),
  };
}

/** The figures of `count` operations with these latencies. */
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
