import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../../test/harness/suite.ts';
import type { Revision, Store, Transaction } from '../../store.ts';
import { ChangeRecorder } from '../../suite/recorder.ts';
import { historyOf, putValue, storeErrorCodeOf, storeErrorOf, storeKey, storeRange } from '../../suite/suite-store.ts';
import { EtcdCluster, noEtcd, testTimeouts } from '../etcd.fixture.ts';
import { openEtcdStore } from '../etcd-store.ts';
import { TcpProxy } from '../tcp-proxy.fixture.ts';

let cluster: EtcdCluster;
let proxy: TcpProxy;
let prefixes = 0;
const opened: Store[] = [];

beforeAll(async () => {
  cluster = await EtcdCluster.start();
  proxy = await TcpProxy.start(cluster.member(0).url);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

afterAll(async () => {
  await proxy.stop();
  await cluster.stop();
});

async function open(endpoints = cluster.endpoints, prefix = `groups/${prefixes++}`): Promise<Store> {
  const store = await openEtcdStore({ endpoints, prefix, timeouts: testTimeouts });
  opened.push(store);
  return store;
}

/** Keeps the store busy with writes of other rows, so transactions that are started next share a request. */
function occupy(store: Store): Promise<unknown> {
  return Promise.all(Array.from({ length: 8 }, (_, n) => putValue(store, storeKey('busy', `${n}`), '')));
}

const etcdRevisionOf = (revision: Revision) => Math.floor(revision / 128);

const createOf = (slice: string, name: string, value = name): Transaction => ({
  checks: [{ key: storeKey(slice, name), revision: undefined }],
  writes: [{ key: storeKey(slice, name), value }],
});

describeIfAvailable(noEtcd, 'transactions that are started at the same time', () => {
  it('share requests, and each of its writes has a revision of its own', async () => {
    const [store, other] = [await open(), await open(cluster.endpoints, `groups/${prefixes - 1}`)];
    const recorders = [new ChangeRecorder(), new ChangeRecorder()];
    await Promise.all([store, other].map((each, at) => each.observe(storeRange('s'), 1, recorders[at] ?? fail())));
    const names = Array.from({ length: 100 }, (_, n) => `${n}`);
    const revisions = await Promise.all(names.map((name) => putValue(store, storeKey('s', name), name)));
    expect(new Set(revisions).size).toBe(names.length);
    expect(new Set(revisions.map(etcdRevisionOf)).size).toBeLessThan(names.length / 4);
    const { entries, revision } = await other.list(storeRange('s'));
    expect(new Map(entries.map((entry) => [entry.value, entry.revision]))).toEqual(
      new Map(names.map((name, at) => [name, revisions[at]])),
    );
    expect(revision).toBe(Math.max(...revisions));
    await other.revision('s');
    const history = await historyOf(store, storeRange('s'), 1);
    for (const recorder of recorders) expect(recorder.changesSeen).toEqual(history);
    for (const since of revisions.slice(40, 50)) {
      const resumed = await historyOf(other, storeRange('s'), since);
      expect(resumed).toEqual(history.filter((change) => change.revision > since));
    }
    const [middle = 0] = revisions.slice(50);
    expect((await other.list(storeRange('s'), { atRevision: middle })).entries.map((entry) => entry.revision)).toEqual(
      entries.map((entry) => entry.revision).filter((each) => each <= middle),
    );
  });

  it('succeed and fail independently of each other, and a failed one names its check', async () => {
    const store = await open();
    const taken = await putValue(store, storeKey('s', 'taken'), 'first');
    const busy = occupy(store);
    const outcomes = await Promise.allSettled([
      store.transact(createOf('s', 'a')),
      store.transact(createOf('s', 'taken')),
      store.transact({
        checks: [
          { key: storeKey('s', 'taken'), revision: taken },
          { key: storeKey('s', 'absent'), revision: taken },
        ],
        writes: [{ key: storeKey('s', 'b'), value: 'b' }],
      }),
      store.transact({
        checks: [{ key: storeKey('s', 'taken'), revision: taken }],
        writes: [
          { key: storeKey('s', 'c'), value: 'c' },
          { key: storeKey('s', 'index'), value: 'c', unlogged: true },
          { key: storeKey('s', 'd'), value: 'd' },
        ],
      }),
      store.transact(createOf('t', 'e')),
    ]);
    await busy;
    const [a, existing, wrong, c, e] = outcomes;
    expect(existing).toMatchObject({ status: 'rejected', reason: { code: 'CheckFailed', detail: 0 } });
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'CheckFailed', detail: 1 } });
    const revisionsOf = (outcome: typeof a) => (outcome?.status === 'fulfilled' ? outcome.value : []);
    const entries = (await store.list(storeRange('s'))).entries.map(({ key, revision }) => [key.segments[0], revision]);
    const [first, index, last] = revisionsOf(c);
    expect(index).toBeUndefined();
    const expected = [
      ['a', revisionsOf(a)[0]],
      ['c', first],
      ['d', last],
      ['index', expect.any(Number)],
      ['taken', taken],
    ];
    expect(entries).toEqual(expected);
    expect((await store.get(storeKey('t', 'e')))?.revision).toBe(revisionsOf(e)[0]);
    expect(await store.revision('s')).toBeGreaterThanOrEqual(last ?? 0);
  });

  it('are applied in the order of the calls if they write the same row', async () => {
    const store = await open();
    const values = Array.from({ length: 20 }, (_, n) => `${n}`);
    const revisions = await Promise.all(
      values.flatMap((value) => [
        putValue(store, storeKey('s', 'x'), value),
        putValue(store, storeKey('s', value), ''),
      ]),
    );
    const written = revisions.filter((_, at) => at % 2 === 0);
    expect(written).toEqual(written.toSorted((a, b) => a - b));
    const history = await historyOf(store, storeRange('s', 'x'), 1);
    expect(history.map(({ value }) => value)).toEqual(values);
  });

  it('fail alone if their slice was removed by another replica', async () => {
    const [store, other] = [await open(), await open(cluster.endpoints, `groups/${prefixes - 1}`)];
    await putValue(store, storeKey('gone', 'x'), '1');
    await other.removePrefix(storeRange('gone'));
    const busy = occupy(store);
    const [gone, stays, alsoGone] = [
      store.transact(createOf('gone', 'a')),
      store.transact(createOf('stays', 'a')),
      store.transact(createOf('gone', 'b')),
    ];
    expect([await storeErrorCodeOf(gone), await storeErrorCodeOf(alsoGone)]).toEqual(['SliceRemoved', 'SliceRemoved']);
    await Promise.all([stays, busy]);
    expect(await other.list(storeRange('gone'))).toEqual({ entries: [], revision: 1, remaining: 0 });
    expect((await other.list(storeRange('stays'))).entries).toHaveLength(1);
  });

  it('fit into the limits of etcd although they have many operations, slices or bytes', async () => {
    const store = await open();
    const many = Array.from({ length: 70 }, (_, n) => ({
      writes: [
        { key: storeKey(`slice ${n}`, 'row'), value: '' },
        ...Array.from({ length: 30 }, (_, at) => ({ key: storeKey(`slice ${n}`, `${at}`), value: '', unlogged: true })),
      ],
    }));
    const long = Array.from({ length: 70 }, (_, n) => ({
      writes: [{ key: storeKey('long', `${n}`), value: '€'.repeat(15_000) }],
    }));
    const longKeys = Array.from({ length: 40 }, (_, n) => {
      const keys = ['a', 'b', 'c'].map((end) => storeKey('keys', `${n}${'x'.repeat(15_000)}${end}`));
      return {
        checks: keys.map((key) => ({ key, revision: undefined })),
        writes: keys.map((key) => ({ key, value: '' })),
      };
    });
    await Promise.all([...many, ...long, ...longKeys].map((transaction) => store.transact(transaction)));
    expect((await store.list(storeRange('keys'))).entries).toHaveLength(120);
    expect((await store.list(storeRange('slice 69'))).entries).toHaveLength(31);
    expect((await store.list(storeRange('long'))).entries).toHaveLength(70);
  });
});

describeIfAvailable(noEtcd, 'a group of transactions whose response is lost', () => {
  it('is decided for each of them', async () => {
    const [store, other] = [await open(proxy.url), await open(cluster.endpoints, `groups/${prefixes - 1}`)];
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    await putValue(store, storeKey('s', 'taken'), '');
    // The transactions below form a group, which is sent after the first response. The proxy cuts off the response to
    // the group.
    proxy.latencyMs = 300;
    const busy = occupy(store);
    const created = ['a', 'b', 'c'].map((name) => store.transact(createOf('s', name)));
    const refused = storeErrorOf(store.transact(createOf('s', 'taken')));
    while ((await other.get(storeKey('s', 'a'))) === undefined) await new Promise(setImmediate);
    proxy.latencyMs = 0;
    proxy.cut();
    expect(await refused).toMatchObject({ code: 'CheckFailed', detail: 0 });
    const revisions = (await Promise.all(created)).map(([revision]) => revision);
    await busy;
    expect(recorder.summary).toEqual(['taken=', 'a=a', 'b=b', 'c=c']);
    expect(recorder.revisions.slice(1)).toEqual(revisions);
  });
});

function fail(): never {
  throw new Error('there is no recorder');
}
