import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeIfAvailable } from '../../test/harness/suite.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { EtcdCluster, noEtcd, testTimeouts } from '../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../store/etcd/etcd-store.ts';
import type { Store } from '../store/store.ts';
import { openReplicas } from './open-replicas.ts';
import type { Replicas } from './replicas.ts';
import { reportFailedChecks } from './report-failed-checks.ts';
import { allTerms, leaderTerm } from './shards.ts';
import type { Tenure } from './tenure.ts';

/** A server over its own connection to etcd. */
interface TestServer {
  readonly replicas: Replicas;
  /** The store that background work uses. */
  readonly store: Store;
  tenure: Tenure | undefined;
  /** Makes all later calls wait, like a process that gets SIGSTOP. */
  pause(): void;
}

let cluster: EtcdCluster;
let prefixes = 0;
const opened: Store[] = [];

beforeAll(async () => {
  if (noEtcd === undefined) cluster = await EtcdCluster.start();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
afterAll(async () => {
  await cluster?.stop();
});

async function start(id: string, prefix: string): Promise<TestServer> {
  const connected = await openEtcdStore({ endpoints: cluster.endpoints, prefix, timeouts: testTimeouts });
  opened.push(connected);
  let isPaused = false;
  const unlessPaused = <T>(call: () => Promise<T>): Promise<T> => (isPaused ? new Promise<T>(() => {}) : call());
  const replicas = openReplicas({
    id,
    store: {
      isShared: true,
      get: (key) => unlessPaused(() => connected.get(key)),
      list: (range, options) => unlessPaused(() => connected.list(range, options)),
      transact: (transaction) => unlessPaused(() => connected.transact(transaction)),
    },
    details: () => ({ version: '1.0.0', schemas: [1, 1], address: '', settings: '' }),
    clock: systemClock,
    log: silentLog,
  });
  const server: TestServer = {
    replicas,
    store: reportFailedChecks(connected, (check) => replicas.reportFailedCheck(check)),
    tenure: undefined,
    pause() {
      isPaused = true;
    },
  };
  replicas.run((tenure) => {
    server.tenure = tenure;
    return async () => {
      server.tenure = undefined;
    };
  });
  replicas.start();
  return server;
}

const ownsAll = ({ tenure }: TestServer) => allTerms.every((term) => tenure?.owns(term) === true);

async function write({ store }: TestServer, tenure: Tenure | undefined, value: string): Promise<void> {
  if (tenure?.fence === undefined) throw new Error('the server has no fence');
  const writes = [{ key: { slice: 'work', segments: ['one'] }, value }];
  await store.transact({ checks: [tenure.fence], writes });
}

describeIfAvailable(noEtcd, 'replicas over etcd', () => {
  it('continue the work of a paused replica within five seconds, and its writes are refused', async () => {
    const prefix = `terms/${prefixes++}`;
    const first = await start('first', prefix);
    await vi.waitUntil(() => ownsAll(first), { timeout: 5_000 });
    const { tenure } = first;
    await write(first, tenure, 'first');
    const second = await start('second', prefix);
    await vi.waitUntil(() => second.tenure !== undefined, { timeout: 5_000 });
    const pausedAt = performance.now();
    first.pause();
    await vi.waitUntil(() => ownsAll(second), { timeout: 10_000 });
    // One second more than the limit, because this machine also runs other tests.
    expect(performance.now() - pausedAt).toBeLessThan(6_000);
    expect(tenure?.signal.aborted).toBe(true);
    await write(second, second.tenure, 'second');
    await expect(write(first, tenure, 'late')).rejects.toMatchObject({ code: 'CheckFailed' });
    expect((await second.store.get({ slice: 'work', segments: ['one'] }))?.value).toBe('second');
  });

  it('hand the leader over at once when they shut down', async () => {
    const prefix = `terms/${prefixes++}`;
    const first = await start('first', prefix);
    await vi.waitUntil(() => ownsAll(first), { timeout: 5_000 });
    const second = await start('second', prefix);
    await vi.waitUntil(() => second.tenure !== undefined, { timeout: 5_000 });
    await first.replicas.close();
    await vi.waitUntil(() => second.tenure?.owns(leaderTerm) === true, { timeout: 3_000 });
  });
});
