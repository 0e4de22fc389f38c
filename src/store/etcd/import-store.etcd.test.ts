import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import { backupLines, readBackup } from '../backup.ts';
import { DumpSummary } from '../dump-summary.ts';
import type { Key } from '../key.ts';
import { openMemoryStore } from '../memory.ts';
import type { DumpRow, Store } from '../store.ts';
import {
  collectAsync,
  historyOf,
  putMany,
  putValue,
  removeKey,
  storeErrorOf,
  storeKey,
  storeRange,
} from '../suite/suite-store.ts';
import { rangeMethod } from './client/methods.ts';
import { EtcdCluster, noEtcd, testTimeouts } from './etcd.fixture.ts';
import { openEtcdStore } from './etcd-store.ts';
import { importIntoEtcd } from './import-store.ts';
import { KeySpace } from './key-space.ts';

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

const newPrefix = () => `import/${prefixes++}`;
const isUnlogged = ({ segments }: Key) => segments[0] === 'index';

async function filledStore(): Promise<Store> {
  const store = openMemoryStore();
  opened.push(store);
  await putMany(
    store,
    Array.from({ length: 300 }, (_, n) => storeKey(`slice-${n % 7}`, `${n}`)),
    (n) => `value ${n} ä\u0000"`,
  );
  await store.transact({ writes: [{ key: storeKey('slice-0', 'index', 'x'), value: 'i', unlogged: true }] });
  await putValue(store, storeKey('emptied', 'x'), '1');
  await removeKey(store, storeKey('emptied', 'x'));
  await putValue(store, storeKey('large', 'x'), 'x'.repeat(900_000));
  await putValue(store, storeKey('large', 'y'), 'y'.repeat(900_000));
  return store;
}

async function open(prefix: string): Promise<Store> {
  const store = await openEtcdStore({ endpoints: cluster.endpoints, prefix, timeouts: testTimeouts });
  opened.push(store);
  return store;
}

const importAt = (prefix: string, rows: AsyncIterable<DumpRow>) =>
  importIntoEtcd({ endpoints: cluster.endpoints, prefix, rows, isUnlogged });

async function keysBelow(prefix: string): Promise<number> {
  const client = cluster.client();
  try {
    return (await client.call(rangeMethod, { ...new KeySpace(prefix).all, countOnly: true })).count;
  } finally {
    client.close();
  }
}

describeIfAvailable(noEtcd, 'an import into etcd', () => {
  it('copies all rows and the identity, and no revision goes back', async () => {
    const [source, prefix] = [await filledStore(), newPrefix()];
    const summary = await importAt(prefix, source.dump());
    expect([summary.entries, summary.slices.size]).toEqual([303, 9]);
    const copy = await open(prefix);
    expect(copy.identity).toBe(source.identity);
    expect(summary.differenceOf(await new DumpSummary().addAll(copy.dump()))).toBeUndefined();
    for (const slice of ['slice-0', 'emptied', 'large']) {
      expect(await copy.revision(slice)).toBeGreaterThan((await source.revision(slice)) + 1_000_000_000);
    }
    const unlogged = (await collectAsync(copy.dump())).filter((row) => row.row === 'entry' && row.unlogged);
    expect(unlogged).toMatchObject([{ key: storeKey('slice-0', 'index', 'x'), value: 'i' }]);
  });

  it('ends the watches from before, and new ones continue', async () => {
    const [source, prefix] = [await filledStore(), newPrefix()];
    const before = await source.revision('slice-1');
    await importAt(prefix, source.dump());
    const copy = await open(prefix);
    for (const slice of ['slice-1', 'emptied']) {
      expect(await storeErrorOf(historyOf(copy, storeRange(slice), before))).toMatchObject({ code: 'Expired' });
    }
    const { revision } = await copy.list(storeRange('slice-1'));
    await putValue(copy, storeKey('slice-1', 'new'), '1');
    expect(await historyOf(copy, storeRange('slice-1'), revision)).toHaveLength(1);
  });

  it('of a backup of another etcd prefix keeps unlogged rows without being told', async () => {
    const [first, second] = [newPrefix(), newPrefix()];
    await importAt(first, (await filledStore()).dump());
    const original = await open(first);
    const rows = readBackup(backupLines(original));
    await importIntoEtcd({ endpoints: cluster.endpoints, prefix: second, rows, isUnlogged: () => false });
    const copy = await open(second);
    const entries = async (store: Store) =>
      (await collectAsync(store.dump())).flatMap((row) => (row.row === 'entry' ? [{ ...row, revision: 0 }] : []));
    expect(await entries(copy)).toEqual(await entries(original));
    expect(await copy.revision('large')).toBeGreaterThan(await original.revision('large'));
  });

  it('that fails removes what it has written', async () => {
    const [source, prefix] = [await filledStore(), newPrefix()];
    async function* failing(): AsyncGenerator<DumpRow> {
      let rows = 0;
      for await (const row of source.dump()) {
        if (rows++ > 200) throw new Error('the file cannot be read');
        yield row;
      }
    }
    await expect(importAt(prefix, failing())).rejects.toThrow('the file cannot be read');
    expect(await keysBelow(prefix)).toBe(0);
    const check = async () => {
      throw new Error('this is not the right seal key');
    };
    const checked = { endpoints: cluster.endpoints, prefix, rows: source.dump(), isUnlogged, check };
    await expect(importIntoEtcd(checked)).rejects.toThrow('this is not the right seal key');
    expect(await keysBelow(prefix)).toBe(0);
  });

  it('that was interrupted is refused until its keys are removed', async () => {
    const [source, prefix] = [await filledStore(), newPrefix()];
    const importing = { identity: source.identity, importId: 'interrupted' };
    const half = await openEtcdStore({ endpoints: cluster.endpoints, prefix, timeouts: testTimeouts, importing });
    await putValue(half, storeKey('s', 'x'), '1');
    await half.close();
    for (const call of [() => open(prefix), () => importAt(prefix, source.dump())]) {
      const error = await storeErrorOf(call());
      expect(error).toMatchObject({ code: 'CannotOpen' });
      expect(error.message).toContain(
        `the etcd prefix "${prefix}" contains an unfinished import; remove its keys (etcdctl del --prefix ${prefix}:)`,
      );
    }
  });

  it('into a prefix with a store is refused, and changes nothing', async () => {
    const [source, prefix] = [await filledStore(), newPrefix()];
    const existing = await open(prefix);
    await putValue(existing, storeKey('s', 'x'), '1');
    const before = await keysBelow(prefix);
    const error = await storeErrorOf(importAt(prefix, source.dump()));
    expect(error.message).toContain(`already contains the store ${existing.identity}; use another prefix`);
    expect(await keysBelow(prefix)).toBe(before);
  });

  it('names a row that is too large for etcd', async () => {
    const [source, prefix] = [openMemoryStore(), newPrefix()];
    opened.push(source);
    await putValue(source, storeKey('s', 'objects', 'x'), 'x'.repeat(2_000_000));
    const error = await storeErrorOf(importAt(prefix, source.dump()));
    expect(error).toMatchObject({ code: 'TooLarge' });
    expect(error.message).toMatch(/^the row s\/objects\/x with 2000000 bytes is too large: .*--max-request-bytes/);
    expect(await keysBelow(prefix)).toBe(0);
  });
});
