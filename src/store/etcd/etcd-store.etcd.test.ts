import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import { storeSuite } from '../store.suite.ts';
import { maxTransactionWrites, type Store } from '../store.ts';
import { ChangeRecorder } from '../suite/recorder.ts';
import { collectAsync, historyOf, putValue, storeErrorOf, storeKey, storeRange } from '../suite/suite-store.ts';
import { compactMethod, txnMethod } from './client/methods.ts';
import { EtcdCluster, noEtcd } from './etcd.fixture.ts';
import { type EtcdStoreOptions, openEtcdStore } from './etcd-store.ts';

let cluster: EtcdCluster;
let prefixes = 0;

beforeAll(async () => {
  cluster = await EtcdCluster.start();
});

afterAll(async () => {
  await cluster.stop();
});

const newPrefix = () => `test/${prefixes++}`;

function open(options: Partial<EtcdStoreOptions> = {}): Promise<Store> {
  const defaults = { endpoints: cluster.endpoints, prefix: newPrefix(), timeouts: { call: 20_000, member: 10_000 } };
  return openEtcdStore({ ...defaults, ...options });
}

describeIfAvailable(noEtcd, 'the store suite', () => {
  storeSuite('etcd store', (options) => open(options), { keepsNewestChanges: false });
});

describeIfAvailable(noEtcd, 'an etcd prefix', () => {
  it('is initialized once, even if several stores open it at the same moment', async () => {
    const prefix = newPrefix();
    const stores = await Promise.all(Array.from({ length: 3 }, () => open({ prefix })));
    expect(new Set(stores.map(({ identity }) => identity)).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
    const again = await open({ prefix, identity: stores[0]?.identity ?? '' });
    expect(again.identity).toBe(stores[0]?.identity);
    await again.close();
  });

  it('of another installation is rejected, and an expected store is not created', async () => {
    const prefix = newPrefix();
    const missing = await storeErrorOf(open({ prefix, identity: 'expected' }));
    expect(missing).toMatchObject({ code: 'CannotOpen' });
    expect(missing.message).toContain('there is no store');
    await (await open({ prefix })).close();
    const other = await storeErrorOf(open({ prefix, identity: 'expected' }));
    expect(other.message).toContain('belongs to another installation');
  });

  it('with a newer schema is rejected', async () => {
    const prefix = newPrefix();
    const client = cluster.client();
    const value = JSON.stringify({ identity: 'x', schema: 2, base: 0 });
    const put = { key: `${prefix}:installation`, value };
    await client.call(txnMethod, { compare: [], success: [{ put }], failure: [] });
    client.close();
    const error = await storeErrorOf(open({ prefix }));
    expect(error).toMatchObject({ code: 'CannotOpen' });
    expect(error.message).toContain('newer version of Flotilla: it has schema 2, and this program supports 1');
  });

  it('that starts with the prefix of another store is independent of it', async () => {
    const prefix = newPrefix();
    const [outer, inner] = [await open({ prefix }), await open({ prefix: `${prefix}/w/row` })];
    const recorder = new ChangeRecorder();
    await outer.observe(storeRange('s'), 1, recorder);
    await putValue(inner, storeKey('s', 'x'), '1');
    await putValue(outer, storeKey('s', 'y'), '2');
    expect(recorder.summary).toEqual(['y=2']);
    expect((await inner.list(storeRange('s'))).entries.map(({ value }) => value)).toEqual(['1']);
    await Promise.all([outer.close(), inner.close()]);
  });

  it('of a new store starts above a given revision', async () => {
    const above = 5_000_000_000;
    const store = await open({ above });
    const revision = await putValue(store, storeKey('s', 'x'), '1');
    expect(revision).toBeGreaterThan(above);
    expect((await historyOf(store, storeRange('s'), above)).map((change) => change.revision)).toEqual([revision]);
    expect((await store.list(storeRange('s'), { atRevision: revision })).entries).toHaveLength(1);
    await store.close();
  });
});

describeIfAvailable(noEtcd, 'a slice with more rows than one response of etcd', () => {
  it('is listed, dumped and removed completely, with logged and unlogged rows in the order of keys', async () => {
    const store = await open();
    const names = Array.from({ length: 2400 }, (_, n) => `${n}`.padStart(5, '0'));
    const transactions: Promise<unknown>[] = [];
    for (let start = 0; start < names.length; start += maxTransactionWrites) {
      const part = names.slice(start, start + maxTransactionWrites);
      const writes = part.map((name) => ({ key: storeKey('s', name), value: name, unlogged: Number(name) % 2 === 0 }));
      transactions.push(store.transact({ writes }));
    }
    await Promise.all(transactions);
    const { entries, remaining, revision } = await store.list(storeRange('s'));
    expect([entries.map(({ value }) => value), remaining]).toEqual([names, 0]);
    const page = await store.list(storeRange('s'), { limit: 1500, after: storeKey('s', '00099') });
    expect([page.entries.map(({ value }) => value), page.remaining]).toEqual([names.slice(100, 1600), 800]);
    const [head, slice, ...rows] = await collectAsync(store.dump());
    expect([head?.row, slice]).toEqual(['head', { row: 'slice', slice: 's', revision }]);
    const isUnlogged = ({ value }: { value: string }) => Number(value) % 2 === 0;
    expect(rows).toEqual(
      entries.map((entry) => ({ row: 'entry', ...entry, ...(isUnlogged(entry) ? { unlogged: true } : {}) })),
    );
    await putValue(store, storeKey('t', 'x'), 'stays');
    await store.removePrefix(storeRange('s'));
    expect(await store.list(storeRange('s'))).toEqual({ entries: [], revision: 1, remaining: 0 });
    expect((await collectAsync(store.dump())).filter(({ row }) => row === 'entry')).toHaveLength(1);
    await store.close();
  });
});

describeIfAvailable(noEtcd, 'an etcd cluster that cannot be used', () => {
  it('is reported with its address', async () => {
    const timeouts = { call: 300, member: 100 };
    const error = await storeErrorOf(open({ endpoints: 'http://127.0.0.1:1', timeouts }));
    expect(error).toMatchObject({ code: 'CannotOpen' });
    expect(error.message).toContain('cannot open the store at http://127.0.0.1:1');
  });
});

describeIfAvailable(noEtcd, 'a transaction that is too large for etcd', () => {
  it('is rejected without effect', async () => {
    const store = await open();
    const writes = Array.from({ length: 200 }, (_, n) => ({ key: storeKey('s', `${n}`), value: '' }));
    expect(await storeErrorOf(store.transact({ writes }))).toMatchObject({ code: 'TooLarge' });
    const long = await storeErrorOf(putValue(store, storeKey('s', 'x'), 'x'.repeat(2_000_000)));
    expect(long).toMatchObject({ code: 'TooLarge' });
    expect(long.message).toContain('--max-request-bytes');
    const longer = await storeErrorOf(putValue(store, storeKey('s', 'x'), 'x'.repeat(4_000_000)));
    expect(longer).toMatchObject({ code: 'TooLarge' });
    expect(await store.revision('s')).toBe(1);
    await store.close();
  });
});

describeIfAvailable(noEtcd, 'history that etcd has compacted', () => {
  it('is reported as expired with the oldest revision, and a slice without newer changes is not affected', async () => {
    const store = await open();
    const quiet = await putValue(store, storeKey('quiet', 'x'), '1');
    const first = await putValue(store, storeKey('s', 'x'), '1');
    const second = await putValue(store, storeKey('s', 'x'), '2');
    const third = await putValue(store, storeKey('s', 'x'), '3');
    const client = cluster.client();
    await client.call(compactMethod, { revision: Math.floor(second / 128) });
    client.close();
    for (const call of [
      () => historyOf(store, storeRange('s'), first),
      () => store.list(storeRange('s'), { atRevision: first }),
    ]) {
      const { code, detail = 0 } = await storeErrorOf(call());
      expect(code).toBe('Expired');
      expect(detail).toBeGreaterThanOrEqual(second);
      expect(detail).toBeLessThan(third);
      expect(await historyOf(store, storeRange('s'), detail)).toHaveLength(1);
    }
    expect(await historyOf(store, storeRange('s'), second)).toEqual([
      { revision: third, key: storeKey('s', 'x'), value: '3', previous: { value: '2', revision: second } },
    ]);
    const reopened = await open({ prefix: `test/${prefixes - 1}` });
    const recorder = new ChangeRecorder();
    await reopened.observe(storeRange('quiet'), quiet, recorder);
    expect((await reopened.list(storeRange('quiet'), { atRevision: quiet })).entries).toHaveLength(1);
    await putValue(store, storeKey('quiet', 'x'), '2');
    await reopened.revision('quiet');
    expect(recorder.summary).toEqual(['x=2']);
    await Promise.all([store.close(), reopened.close()]);
  });
});
