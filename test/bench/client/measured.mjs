import { availableParallelism } from 'node:os';
import { etcdDatabaseBytes } from '../etcd-database.mjs';
import { percentile } from '../figures.mjs';
import { busyMilliseconds, forgetPeaks, peakBytes, processorMilliseconds, residentBytes } from '../process-figures.mjs';

/**
 * Runs a function and returns its cost: seconds, CPU time of the servers, of their etcd (if the target names its
 * processes) and of this client, the peak memory growth of the servers, the growth of the database of etcd (if the
 * target names its address), and the CPU load of other processes in this time.
 */
export async function measured({ pids, etcdPids = [], etcdUrl }, run) {
  const databaseBefore = etcdUrl === undefined ? 0 : await etcdDatabaseBytes(etcdUrl);
  forgetPeaks(pids);
  const memoryBefore = residentBytes(pids);
  const serverBefore = processorMilliseconds(pids);
  const etcdBefore = processorMilliseconds(etcdPids);
  const clientBefore = process.cpuUsage();
  const busyBefore = busyMilliseconds();
  const begun = performance.now();
  const result = await run();
  const seconds = (performance.now() - begun) / 1000;
  const client = process.cpuUsage(clientBefore);
  const clientMilliseconds = (client.user + client.system) / 1000;
  const serverMilliseconds = processorMilliseconds(pids) - serverBefore;
  const etcdMilliseconds = processorMilliseconds(etcdPids) - etcdBefore;
  const others = busyMilliseconds() - busyBefore - serverMilliseconds - etcdMilliseconds - clientMilliseconds;
  return {
    result,
    seconds,
    serverMilliseconds,
    ...(etcdPids.length > 0 ? { etcdMilliseconds } : {}),
    clientMilliseconds,
    /** The percentage of CPU time that other processes used. The higher it is, the less reliable are the latencies. */
    disturbed: Math.max(0, others / (10 * seconds * availableParallelism())),
    ...(etcdUrl === undefined ? {} : { databaseGrowth: (await etcdDatabaseBytes(etcdUrl)) - databaseBefore }),
    growthBytes: Math.max(0, peakBytes(pids) - memoryBefore),
  };
}

/** The CPU time of each of `count` operations. */
export function processorFigures({ serverMilliseconds, etcdMilliseconds, clientMilliseconds }, count) {
  return {
    serverCpu: serverMilliseconds / count,
    ...(etcdMilliseconds === undefined ? {} : { etcdCpu: etcdMilliseconds / count }),
    clientCpu: clientMilliseconds / count,
  };
}

/** Returns the figures of `count` operations. `times` are their latencies. */
export function figuresOf(taken, count, times) {
  const { seconds, disturbed } = taken;
  const sorted = Float64Array.from(times).sort();
  return {
    count,
    seconds,
    rate: count / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    ...processorFigures(taken, count),
    disturbed,
  };
}
