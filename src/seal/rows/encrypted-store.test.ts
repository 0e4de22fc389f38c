import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { storeSuite } from '../../store/store.suite.ts';
import type { Change, DumpRow, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { collectAsync, putValue, storeErrorCodeOf, storeKey, storeRange } from '../../store/suite/suite-store.ts';
import { type EncryptedStore, encryptedStore } from './encrypted-store.ts';
import { type DataKey, RowCipher } from './row-cipher.ts';

const keyOf = (id: string): DataKey => ({ id, key: new Uint8Array(32).fill(id.charCodeAt(0)) });
const directories: string[] = [];
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))));

/** A server's view of a store: the known keys, and the store with decrypted values. */
class Server {
  readonly known = new Map<string, DataKey>();
  current: DataKey | undefined;
  readonly store: EncryptedStore;
  /** Called with each key that has to be loaded. */
  onLoad = async (id: string): Promise<void> => {
    this.known.set(id, keyOf(id));
  };

  constructor(encrypted: Store, current?: string) {
    if (current !== undefined) this.use(current);
    const server = this;
    const cipher = new RowCipher({
      get current() {
        return server.current;
      },
      rows: 'all',
      find: (id) => this.known.get(id),
    });
    const isExempt = ({ slice }: { slice: string }) => slice === 'exempt';
    this.store = encryptedStore({ store: encrypted, cipher, isExempt, loadKey: (id) => this.onLoad(id) });
  }

  use(id: string): void {
    this.current = keyOf(id);
    this.known.set(id, this.current);
  }
}

/** Returns the store with a dump of clear values, which the test suite expects. */
function withClearDump(store: Store): Store {
  async function* dump(): AsyncGenerator<DumpRow> {
    const reader = new RowCipher({ current: undefined, rows: 'all', find: keyOf });
    for await (const row of store.dump()) {
      yield row.row === 'entry' ? { ...row, value: reader.open(row.key, row.value) } : row;
    }
  }
  return { ...store, dump };
}

storeSuite('encrypted memory store', async (options) =>
  withClearDump(new Server(openMemoryStore(options), 'key-aaaa').store),
);
storeSuite('encrypted embedded store', async (options) => {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-encrypted-'));
  directories.push(directory);
  return withClearDump(new Server(await openEmbeddedStore({ ...options, directory }), 'key-aaaa').store);
});

const row = storeKey('s', 'kind', 'name');
const storedValue = async (store: Store) => (await store.get(row))?.value ?? '';

describe('encryptedStore', () => {
  it('the values, their history and dumps are encrypted, except those of exempt rows', async () => {
    const encrypted = openMemoryStore();
    const { store } = new Server(encrypted, 'key-aaaa');
    await putValue(store, row, 'private text 1');
    await putValue(store, row, 'private text 2');
    await putValue(store, storeKey('exempt', 'a'), 'public text');
    const everything = JSON.stringify([
      await encrypted.list(storeRange('s')),
      await encrypted.history(storeRange('s'), 1),
      await collectAsync(store.dump()),
    ]);
    expect(everything).not.toContain('private text');
    expect(everything).toContain('public text');
    expect(await encrypted.get(storeKey('exempt', 'a'))).toMatchObject({ value: 'public text' });
  });

  it('rows in clear are read, and encrypted in dumps and by their next write', async () => {
    const encrypted = openMemoryStore();
    await putValue(encrypted, row, 'private text');
    const { store } = new Server(encrypted, 'key-aaaa');
    expect(await storedValue(store)).toBe('private text');
    expect(JSON.stringify(await collectAsync(store.dump()))).not.toContain('private text');
    await putValue(store, row, 'private text');
    expect(await storedValue(encrypted)).not.toContain('private text');
  });

  it('a row that was moved or changed in the store is Damaged', async () => {
    const encrypted = openMemoryStore();
    const { store } = new Server(encrypted, 'key-aaaa');
    await putValue(store, storeKey('s', 'other'), 'x');
    const moved = await encrypted.get(storeKey('s', 'other'));
    await putValue(encrypted, row, moved?.value ?? '');
    expect(await storeErrorCodeOf(store.get(row))).toBe('Damaged');
    expect(await storeErrorCodeOf(store.list(storeRange('s')))).toBe('Damaged');
  });

  it('a key that another server has created is loaded when a row needs it', async () => {
    const encrypted = openMemoryStore();
    const writer = new Server(encrypted, 'key-aaaa');
    const reader = new Server(encrypted);
    await putValue(writer.store, row, 'text');
    expect(await storedValue(reader.store)).toBe('text');
  });

  it('changes with an unknown key are held in order, and reads and writes wait for them', async () => {
    const encrypted = openMemoryStore();
    const writer = new Server(encrypted, 'key-aaaa');
    const reader = new Server(encrypted, 'key-bbbb');
    const seen: string[] = [];
    const changes = (received: readonly Change[]) => seen.push(...received.map(({ value = '' }) => value));
    await reader.store.observe(storeRange('s'), 1, { changes, ended() {} });
    let finishLoading = () => {};
    const loading = new Promise<void>((resolve) => {
      finishLoading = resolve;
    });
    reader.onLoad = async (id) => {
      await loading;
      reader.known.set(id, keyOf(id));
    };
    await putValue(reader.store, row, '1');
    const second = await putValue(writer.store, row, '2');
    const third = putValue(reader.store, row, '3');
    await expect.poll(() => storedValue(encrypted)).not.toBe('');
    expect(seen).toEqual(['1']);
    const reached = Promise.resolve(reader.store.revision('s')).then(() => [...seen]);
    finishLoading();
    expect(await reached).toEqual(['1', '2', '3']);
    expect(await third).toBeGreaterThan(second);
  });

  it('reads and writes fail while a key cannot be loaded, and the observer continues afterwards', async () => {
    const encrypted = openMemoryStore();
    const reader = new Server(encrypted, 'key-bbbb');
    const load = reader.onLoad;
    let isDown = true;
    reader.onLoad = async (id) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDown) throw new StoreError('Unavailable', 'the KMS is down');
      await load(id);
    };
    const seen: string[] = [];
    const changes = (received: readonly Change[]) => seen.push(...received.map(({ value = '' }) => value));
    await reader.store.observe(storeRange('s'), 1, { changes, ended() {} });
    await putValue(new Server(encrypted, 'key-aaaa').store, row, '1');
    expect(await storeErrorCodeOf(reader.store.get(row))).toBe('Unavailable');
    expect(await storeErrorCodeOf(Promise.resolve(reader.store.revision('s')))).toBe('Unavailable');
    expect(seen).toEqual([]);
    isDown = false;
    await reader.store.revision('s');
    expect(seen).toEqual(['1']);
  });

  it('an observer that ends while changes are held gets no more of them', async () => {
    const encrypted = openMemoryStore();
    const reader = new Server(encrypted);
    reader.onLoad = () => new Promise(() => {});
    const ends: string[] = [];
    const seen: unknown[] = [];
    const observer = { changes: (each: readonly Change[]) => seen.push(each), ended: () => ends.push('ended') };
    await reader.store.observe(storeRange('s'), 1, observer);
    await putValue(new Server(encrypted, 'key-aaaa').store, row, 'x');
    await encrypted.close();
    expect({ ends, seen }).toEqual({ ends: ['ended'], seen: [] });
  });
});

describe('rewrite', () => {
  const unlogged = storeKey('s', 'index');
  const rows = [
    { key: row, unlogged: false },
    { key: unlogged, unlogged: true },
    { key: storeKey('s', 'absent'), unlogged: false },
  ];
  const write = (store: Store, value: string) =>
    store.transact({
      writes: [
        { key: row, value },
        { key: unlogged, value, unlogged: true },
      ],
    });

  it('rows in clear or with an older key are written again, and others are left alone', async () => {
    const encrypted = openMemoryStore();
    await write(encrypted, 'text');
    const server = new Server(encrypted, 'key-aaaa');
    expect(await server.store.rewrite(rows)).toBe(2);
    expect(await server.store.rewrite(rows)).toBe(0);
    server.use('key-bbbb');
    expect(await server.store.rewrite(rows)).toBe(2);
    for (const key of [row, unlogged]) {
      expect((await encrypted.get(key))?.value.slice(1, 9)).toBe('key-bbbb');
      expect((await server.store.get(key))?.value).toBe('text');
    }
    server.current = undefined;
    expect(await server.store.rewrite(rows)).toBe(2);
    expect(await storedValue(encrypted)).toBe('text');
  });

  it('a write at the same time is never lost', async () => {
    const encrypted = openMemoryStore();
    await write(encrypted, 'old');
    const server = new Server(encrypted, 'key-aaaa');
    const only = (value: string) => server.store.transact({ writes: [{ key: unlogged, value, unlogged: true }] });
    for (let round = 0; round < 20; round++) {
      server.use(round % 2 === 0 ? 'key-bbbb' : 'key-aaaa');
      const early = only(`early ${round}`);
      const rewriting = server.store.rewrite(rows);
      if (round % 3 === 0) await Promise.resolve();
      const late = only(`late ${round}`);
      await Promise.all([early, rewriting, late]);
      expect((await server.store.get(unlogged))?.value).toBe(`late ${round}`);
    }
  });
});
