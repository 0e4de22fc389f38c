import { availableParallelism } from 'node:os';
import { EtcdCluster } from '../../../src/store/etcd/etcd.fixture.ts';
import { isEtcdRun, workerEtcdVariable } from './worker-etcd.ts';

/**
 * Vitest global setup: with FLOTILLA_TEST_STORE=etcd, starts an etcd for each worker. Workers do not share an etcd,
 * because a test with a manual clock compacts the whole etcd.
 */
export default async function startWorkerEtcd(): Promise<() => Promise<void>> {
  const clusters: EtcdCluster[] = [];
  const stop = async () => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  };
  // Vitest calls this function once for each of its projects. All projects use the etcds that the first call started.
  if (!isEtcdRun || process.env[workerEtcdVariable] !== undefined) return stop;
  for (let worker = 0; worker < Math.max(2, availableParallelism()); worker++) clusters.push(await EtcdCluster.start());
  // Vitest starts its workers afterwards, and they inherit the environment.
  process.env[workerEtcdVariable] = clusters.map(({ endpoints }) => endpoints).join(' ');
  return stop;
}
