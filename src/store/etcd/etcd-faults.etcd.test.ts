import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import type { Store } from '../store.ts';
import { StoreError, type StoreErrorCode } from '../store-error.ts';
import { ChangeRecorder } from '../suite/recorder.ts';
import { historyOf, putValue, storeErrorOf, storeKey, storeRange } from '../suite/suite-store.ts';
import { compactMethod, rangeMethod } from './client/methods.ts';
import { EtcdCluster, noEtcd, testTimeouts } from './etcd.fixture.ts';
import { type EtcdStoreOptions, openEtcdStore } from './etcd-store.ts';
import { TcpProxy } from './tcp-proxy.fixture.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startCluster(size?: number, flags?: readonly string[]): Promise<EtcdCluster> {
  const cluster = await EtcdCluster.start(size, flags);
  cleanups.push(() => cluster.stop());
  return cluster;
}

async function startProxy(target: string): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(target);
  cleanups.push(() => proxy.stop());
  return proxy;
}

async function open(endpoints: string, options: Partial<EtcdStoreOptions> = {}): Promise<Store> {
  const store = await openEtcdStore({ endpoints, prefix: 'faults', timeouts: testTimeouts, ...options });
  cleanups.push(() => store.close());
  return store;
}

/** Writes rows with unique values until it is stopped, and records the outcome of each write. */
class Writer {
  readonly outcomes = new Map<string, 'acknowledged' | StoreErrorCode>();
  readonly #store: Store;
  readonly #name: string;
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(store: Store, name: string) {
    this.#store = store;
    this.#name = name;
    this.#done = this.#write();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** Resolves after this number of further writes was acknowledged. */
  async progress(count: number): Promise<void> {
    const acknowledged = () => [...this.outcomes.values()].filter((outcome) => outcome === 'acknowledged').length;
    for (const goal = acknowledged() + count; acknowledged() < goal; ) await delay(5);
  }

  async #write(): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const value = `${this.#name} ${n}`;
      try {
        // Half of the writes go to rows that several writers use. Writes of the other rows may share a request.
        const row = n % 2 === 0 ? `${n % 5}` : `${this.#name} ${n % 5}`;
        await putValue(this.#store, storeKey('s', row), value);
        this.outcomes.set(value, 'acknowledged');
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.outcomes.set(value, error.code);
        // Stops when the store is closed. A closed store rejects writes at once, so the loop would never pause and
        // would block a test that has already failed.
        if (error.code === 'Closed') return;
        await delay(1);
      }
    }
  }
}

/**
 * Checks that no acknowledged write is lost, that no write was applied twice, and that no write that was reported to
 * have no effect was applied.
 */
async function expectConsistent(store: Store, writers: readonly Writer[], recorder: ChangeRecorder): Promise<void> {
  const history = await historyOf(store, storeRange('s'), 1);
  await store.revision('s');
  expect(recorder.changesSeen).toEqual(history);
  const revisions = history.map(({ revision }) => revision);
  expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  const applied = new Map<string, number>();
  for (const { value = '' } of history) applied.set(value, (applied.get(value) ?? 0) + 1);
  for (const [value, outcome] of writers.flatMap((writer) => [...writer.outcomes])) {
    const times = applied.get(value) ?? 0;
    if (outcome === 'acknowledged') expect([value, times]).toEqual([value, 1]);
    else if (outcome === 'UnknownOutcome') expect(times).toBeLessThanOrEqual(1);
    else expect([value, outcome, times]).toEqual([value, 'Unavailable', 0]);
  }
}

describeIfAvailable(noEtcd, 'a store whose etcd', () => {
  it('is killed and restarted loses no acknowledged write and continues its observations', async () => {
    const cluster = await startCluster();
    const store = await open(cluster.endpoints);
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    const writers = ['a', 'b', 'c'].map((name) => new Writer(store, name));
    for (let round = 0; round < 3; round++) {
      await writers[0]?.progress(20);
      await cluster.member(0).kill();
      cluster.member(0).start();
    }
    await writers[0]?.progress(20);
    await Promise.all(writers.map((writer) => writer.stop()));
    await expectConsistent(store, writers, recorder);
  });

  it('does not answer rejects writes and reads in time, and never claims that an applied write had no effect', async () => {
    const cluster = await startCluster();
    const store = await open(cluster.endpoints, { timeouts: { call: 1500, member: 500 } });
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    const writers = ['a', 'b'].map((name) => new Writer(store, name));
    await writers[0]?.progress(20);
    cluster.member(0).pause();
    const started = performance.now();
    expect(await storeErrorOf(store.get(storeKey('s', '0')))).toMatchObject({ code: 'Unavailable' });
    expect(await storeErrorOf(Promise.resolve(store.revision('s')))).toMatchObject({ code: 'Unavailable' });
    expect(performance.now() - started).toBeLessThan(6000);
    while (![...(writers[0]?.outcomes.values() ?? [])].includes('UnknownOutcome')) await delay(20);
    cluster.member(0).resume();
    await writers[0]?.progress(20);
    await Promise.all(writers.map((writer) => writer.stop()));
    await expectConsistent(store, writers, recorder);
  });

  it('loses a member, even the one in use, goes on with the others', async () => {
    const cluster = await startCluster(3);
    const stores = await Promise.all([open(cluster.endpoints), open(cluster.endpoints)]);
    const recorders = stores.map(() => new ChangeRecorder());
    for (const [index, store] of stores.entries()) {
      await store.observe(storeRange('s'), 1, recorders[index] ?? new ChangeRecorder());
    }
    const writers = stores.map((store, index) => new Writer(store, `w${index}`));
    for (let index = 0; index < 3; index++) {
      await Promise.all(writers.map((writer) => writer.progress(10)));
      if (index === 1) {
        cluster.member(index).pause();
        await Promise.all(writers.map((writer) => writer.progress(10)));
        cluster.member(index).resume();
      } else {
        await cluster.member(index).kill();
        await Promise.all(writers.map((writer) => writer.progress(10)));
        cluster.member(index).start();
      }
      await cluster.untilReady();
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    for (const [index, store] of stores.entries()) {
      await expectConsistent(store, writers, recorders[index] ?? new ChangeRecorder());
    }
  });

  it('sends responses that are lost finds out whether its writes were applied', async () => {
    const cluster = await startCluster();
    const proxy = await startProxy(cluster.member(0).url);
    const store = await open(proxy.url);
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    const writers = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => new Writer(store, name));
    for (let round = 0; round < 15; round++) {
      await writers[0]?.progress(3);
      if (round % 2 === 0) {
        proxy.holdResponses();
        await delay(10);
      }
      proxy.cut();
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    await expectConsistent(store, writers, recorder);
    for (const writer of writers) expect(new Set(writer.outcomes.values())).toEqual(new Set(['acknowledged']));
  });

  it('compacts changes before they are received ends the observations, and new ones are complete', async () => {
    const cluster = await startCluster();
    const proxy = await startProxy(cluster.member(0).url);
    const [store, other] = await Promise.all([open(proxy.url), open(cluster.endpoints)]);
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    await putValue(store, storeKey('s', 'x'), '1');
    const compactAll = async () => {
      const client = cluster.client();
      const { revision } = await client.call(rangeMethod, { key: 'none' });
      await client.call(compactMethod, { revision });
      client.close();
    };
    // Another user of etcd causes the compaction. The store has missed nothing and continues.
    proxy.cut(true);
    const foreign = await open(cluster.endpoints, { prefix: 'foreign' });
    for (const value of ['1', '2']) await putValue(foreign, storeKey('s', 'x'), value);
    await compactAll();
    proxy.restore();
    await putValue(other, storeKey('s', 'x'), '2');
    await store.revision('s');
    expect([recorder.summary, recorder.end]).toEqual([['x=1', 'x=2'], undefined]);

    proxy.cut(true);
    for (const value of ['3', '4']) await putValue(other, storeKey('s', 'x'), value);
    await compactAll();
    proxy.restore();
    await store.revision('s');
    expect(recorder.end?.code).toBe('Expired');
    const { revision, entries } = await store.list(storeRange('s'));
    expect(entries.map(({ value }) => value)).toEqual(['4']);
    const next = new ChangeRecorder();
    await store.observe(storeRange('s'), revision, next);
    await putValue(store, storeKey('s', 'x'), '5');
    expect(next.summary).toEqual(['x=5']);
    expect(recorder.summary).toEqual(['x=1', 'x=2']);
  });

  it('went back to an earlier revision reports that instead of acknowledging writes', async () => {
    const cluster = await startCluster();
    const store = await open(cluster.endpoints);
    await putValue(store, storeKey('s', 'x'), 'first');
    const member = cluster.member(0);
    await member.kill();
    member.backUp();
    member.start();
    for (let n = 0; n < 20; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
    await member.kill();
    member.restore();
    member.start();
    const writeError = () => storeErrorOf(putValue(store, storeKey('s', 'y'), 'after'));
    let error = await writeError();
    // The outcome of a write on a connection that the kill has closed is unknown, too.
    if (error.message.includes('Connection dropped')) error = await writeError();
    expect(error).toMatchObject({ code: 'UnknownOutcome' });
    expect(error.message).toContain('the revision of etcd went back');
  });

  it('has exhausted its quota rejects writes with advice, and reads go on', async () => {
    const cluster = await startCluster(1, [`--quota-backend-bytes=${2 * 1024 * 1024}`]);
    const store = await open(cluster.endpoints);
    await putValue(store, storeKey('s', 'first'), '1');
    let error: unknown;
    for (let n = 0; n < 50 && error === undefined; n++) {
      error = await putValue(store, storeKey('s', 'big'), 'x'.repeat(500_000)).then(
        () => undefined,
        (reason) => reason,
      );
    }
    expect(error).toMatchObject({ code: 'OutOfSpace' });
    expect(String(error)).toContain('etcdctl alarm disarm');
    expect(await storeErrorOf(store.assertWritable())).toMatchObject({ code: 'OutOfSpace' });
    expect((await store.get(storeKey('s', 'first')))?.value).toBe('1');
  });
});
