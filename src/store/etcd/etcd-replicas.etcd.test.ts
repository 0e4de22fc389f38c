import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import type { Change, Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { ChangeRecorder } from '../suite/recorder.ts';
import { historyOf, putValue, removeKey, storeErrorOf, storeKey, storeRange } from '../suite/suite-store.ts';
import { EtcdCluster, noEtcd, testTimeouts } from './etcd.fixture.ts';
import { openEtcdStore } from './etcd-store.ts';

let cluster: EtcdCluster;
let prefixes = 0;
const opened: Store[] = [];

beforeAll(async () => {
  cluster = await EtcdCluster.start();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

afterAll(async () => {
  await cluster.stop();
});

async function openReplicas(count: number, prefix = `replicas/${prefixes++}`): Promise<Store[]> {
  const stores = await Promise.all(
    Array.from({ length: count }, () =>
      openEtcdStore({ endpoints: cluster.endpoints, prefix, timeouts: testTimeouts }),
    ),
  );
  opened.push(...stores);
  return stores;
}

async function openTwo(): Promise<[Store, Store]> {
  const [first, second] = await openReplicas(2);
  if (first === undefined || second === undefined) throw new Error('two stores were expected');
  return [first, second];
}

describeIfAvailable(noEtcd, 'replicas over one etcd prefix', () => {
  it('show equal histories after concurrent conditional writes, and each write succeeds once', async () => {
    const stores = await openReplicas(3);
    const recorders = stores.map(() => new ChangeRecorder());
    await Promise.all(stores.map((store, index) => store.observe(storeRange('s'), 1, recorders[index] ?? fail())));
    const increments = 20;
    const increment = async (store: Store) => {
      for (let done = 0; done < increments; ) {
        const row = await store.get(storeKey('s', 'counter'));
        try {
          const key = storeKey('s', 'counter');
          const writes = [{ key, value: `${Number(row?.value ?? 0) + 1}` }];
          await store.transact({ checks: [{ key, revision: row?.revision }], writes });
          done++;
        } catch (error) {
          if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
        }
      }
    };
    await Promise.all(stores.flatMap((store) => [increment(store), increment(store)]));
    const total = stores.length * 2 * increments;
    expect((await stores[0]?.get(storeKey('s', 'counter')))?.value).toBe(`${total}`);
    const [first] = recorders;
    for (const [index, store] of stores.entries()) {
      await store.revision('s');
      expect(recorders[index]?.changesSeen).toEqual(first?.changesSeen);
      expect(await historyOf(store, storeRange('s'), 1)).toEqual(first?.changesSeen);
    }
    expect(first?.changesSeen.map(({ value }) => value)).toEqual(Array.from({ length: total }, (_, n) => `${n + 1}`));
  });

  it('read each other’s acknowledged writes, and `revision` waits for the observers of its own process', async () => {
    const [writer, reader] = await openTwo();
    const seen = new Map<string, string>();
    await reader.observe(storeRange('s'), 1, {
      changes: (changes) => {
        for (const { key, value } of changes) seen.set(key.segments.join(), value ?? '');
      },
      ended() {},
    });
    for (let n = 0; n < 50; n++) {
      const written = await putValue(writer, storeKey('s', 'x'), `${n}`);
      expect(await reader.revision('s')).toBe(written);
      expect(seen.get('x')).toBe(`${n}`);
      expect((await reader.get(storeKey('s', 'x')))?.revision).toBe(written);
    }
  });

  it('resume an observation of another replica at every revision, without loss or repetition', async () => {
    const [first, second] = await openTwo();
    const recorder = new ChangeRecorder();
    await first.observe(storeRange('s'), 1, recorder);
    for (let n = 0; n < 5; n++) {
      await first.transact({ writes: ['a', 'b', 'c'].map((name) => ({ key: storeKey('s', name), value: `${n}` })) });
      await second.transact({ writes: ['b', 'd'].map((name) => ({ key: storeKey('s', name), value: undefined })) });
    }
    await first.revision('s');
    for (const since of [1, ...recorder.revisions]) {
      const resumed: Change[] = [];
      const stop = await second.observe(storeRange('s'), since, {
        changes: (changes) => resumed.push(...changes),
        ended() {},
      });
      expect(resumed).toEqual(recorder.changesSeen.filter(({ revision }) => revision > since));
      stop();
    }
  });

  it.each(['lists the rows first', 'lists nothing', 'lists the rows during the writes'])(
    'that is opened later reports previous values that it has not seen as changes, if it %s',
    async (variant) => {
      const prefix = `replicas/${prefixes++}`;
      const [writer] = await openReplicas(1, prefix);
      if (writer === undefined) throw new Error('a store was expected');
      const names = Array.from({ length: 20 }, (_, n) => `${n}`);
      const write = (value: (n: number) => string | undefined) =>
        writer.transact({ writes: names.map((name, n) => ({ key: storeKey('s', name), value: value(n) })) });
      await write(() => 'old');
      await write((n) => `older ${n}`);
      const [later] = await openReplicas(1, prefix);
      if (later === undefined) throw new Error('a store was expected');
      const since = await later.revision('s');
      if (variant === 'lists the rows first') await later.list(storeRange('s'));
      const recorder = new ChangeRecorder();
      await later.observe(storeRange('s'), since, recorder);
      const listing = variant === 'lists the rows during the writes' ? later.list(storeRange('s')) : undefined;
      await Promise.all(names.map((name) => putValue(writer, storeKey('s', name), `new ${name}`)));
      await listing;
      await write((n) => (n % 2 === 0 ? undefined : `newer ${n}`));
      await later.revision('s');
      expect(recorder.changesSeen).toEqual(await historyOf(writer, storeRange('s'), since));
      expect(recorder.changesSeen.filter(({ previous }) => previous === undefined)).toEqual([]);
    },
  );

  it('cannot write to a slice that another replica has removed, and their observers end', async () => {
    const [first, second] = await openTwo();
    const recorder = new ChangeRecorder();
    await putValue(first, storeKey('gone', 'x'), '1');
    await second.observe(storeRange('gone'), 1, recorder);
    await putValue(first, storeKey('other', 'x'), '1');
    await first.removePrefix(storeRange('gone'));
    const error = await storeErrorOf(putValue(second, storeKey('gone', 'y'), '2'));
    expect(error).toMatchObject({ code: 'SliceRemoved', message: 'the slice was removed' });
    const unlogged = { key: storeKey('gone', 'index'), value: '', unlogged: true };
    expect(await storeErrorOf(second.transact({ writes: [unlogged] }))).toMatchObject({ code: 'SliceRemoved' });
    expect(await second.list(storeRange('gone'))).toEqual({ entries: [], revision: 1, remaining: 0 });
    // The removal precedes this write, so the observers of the removed slice have been notified when this write is
    // acknowledged.
    await putValue(second, storeKey('other', 'x'), '2');
    expect(recorder.end?.code).toBe('SliceRemoved');
    expect(recorder.summary).toEqual(['x=1']);
  });

  it('remove rows blindly while others create them, and every removal with an effect has a revision', async () => {
    const [first, second] = await openTwo();
    const names = ['a', 'b', 'c'];
    const creating = (async () => {
      for (let n = 0; n < 60; n++) await putValue(first, storeKey('s', names[n % 3] ?? ''), `${n}`);
    })();
    let removed = 0;
    for (let n = 0; n < 40; n++) {
      const revisions = await second.transact({
        writes: names.map((name) => ({ key: storeKey('s', name), value: undefined })),
      });
      removed += revisions.filter((revision) => revision !== undefined).length;
    }
    await creating;
    const history = await historyOf(first, storeRange('s'), 1);
    expect(history.filter(({ value }) => value === undefined)).toHaveLength(removed);
    const state = new Map<string, string>();
    for (const { key, value, previous } of history) {
      expect(previous?.value).toBe(state.get(key.segments.join()));
      if (value === undefined) state.delete(key.segments.join());
      else state.set(key.segments.join(), value);
    }
  });

  it('are not disturbed by a removal that finds nothing', async () => {
    const [first, second] = await openTwo();
    const revision = await putValue(first, storeKey('s', 'x'), '1');
    await removeKey(second, storeKey('s', 'x'));
    expect(await second.transact({ writes: [{ key: storeKey('s', 'x'), value: undefined }] })).toEqual([undefined]);
    expect(await first.revision('s')).toBeGreaterThan(revision);
    expect(await historyOf(first, storeRange('s'), 1)).toHaveLength(2);
  });
});

function fail(): never {
  throw new Error('there is no recorder');
}
