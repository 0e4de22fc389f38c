import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { openSealer, sealerWithKeys } from '../seal/open-sealer.ts';
import { dataKeyIdOf } from '../seal/rows/row-cipher.ts';
import { createSealKeyFile, writeSealKeyFile } from '../seal/seal-key-file.ts';
import { openEmbeddedStore } from '../store/embedded/embedded.ts';
import type { Key } from '../store/key.ts';
import { type AgentStore, type AgentStoreOptions, openAgentStore } from './open-agent-store.ts';

let root: string;
let key: Uint8Array;
const opened: AgentStore[] = [];
let logged: string[];
beforeEach(async () => {
  logged = [];
  root = await mkdtemp(join(tmpdir(), 'agent-store-'));
  key = await createSealKeyFile(join(root, 'seal.key'));
});
afterEach(async () => {
  await close();
  await rm(root, { recursive: true });
});

const clock = systemClock;
const log: Log = { ...silentLog, info: (_members, message) => logged.push(message) };
const directory = () => join(root, 'store');
const row = (name: string): Key => ({ slice: 'local', segments: ['configmaps', name] });

async function open(rows?: AgentStoreOptions['rows']): Promise<AgentStore> {
  const sealKeyFile = join(root, 'seal.key');
  const store = await openAgentStore({ directory: directory(), sealKeyFile, rows, clock, log });
  opened.push(store);
  return store;
}

async function close(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
}

async function write({ store }: AgentStore, name: string, value: string): Promise<void> {
  await store.transact({ writes: [{ key: row(name), value }] });
}

const read = async ({ store }: AgentStore, name: string) => (await store.get(row(name)))?.value;

/**
 * Returns, by the name of each row in the data directory, the ID of the data key that encrypts the row; 'clear' if the
 * row is not encrypted.
 */
async function keysAtRest(): Promise<Record<string, string>> {
  await close();
  const retention = { ageMilliseconds: 1000, changes: 10 };
  const store = await openEmbeddedStore({ directory: directory(), clock, retention, log: silentLog });
  const keys: Record<string, string> = {};
  for await (const each of store.dump()) {
    if (each.row === 'entry' && each.key.slice === 'local') {
      keys[each.key.segments[1] ?? ''] = dataKeyIdOf(each.value) ?? 'clear';
    }
  }
  await store.close();
  return keys;
}

/** Waits until the background work has written all rows again. */
async function rewritten(): Promise<void> {
  await expect.poll(() => logged, { timeout: 20_000 }).toContain('rewrote all rows of the store');
}

describe('the store of an agent', () => {
  it('stores no value in clear if all rows are encrypted, and opens again', async () => {
    await write(await open('all'), 'a', 'plans');
    expect(await keysAtRest()).toEqual({ a: expect.stringMatching(/^[\w-]{8}$/) });
    expect(await read(await open(), 'a')).toBe('plans');
  });

  it('of an earlier version opens with the same keys, and is encrypted if the setting requires it', async () => {
    const sealed = openSealer(key).seal('a secret', 'text');
    const retention = { ageMilliseconds: 1000, changes: 10 };
    const before = await openEmbeddedStore({ directory: directory(), clock, retention, log: silentLog });
    await before.transact({ writes: [{ key: row('a'), value: 'plans' }] });
    await before.transact({ writes: [{ key: row('b'), value: sealed }] });
    await before.close();

    const { sealerKeys } = await open();
    expect(sealerWithKeys(sealerKeys).open('a secret', sealed)).toBe('text');
    expect(await keysAtRest()).toEqual({ a: 'clear', b: 'clear' });

    const all = await open('all');
    expect([await read(all, 'a'), await read(all, 'b')]).toEqual(['plans', sealed]);
    await rewritten();
    const { a, b } = await keysAtRest();
    expect([a, b]).toEqual([b, expect.stringMatching(/^[\w-]{8}$/)]);
  });

  it.each(['all', 'secrets'] as const)(
    'with %s replaces its keys after the first seal key has changed',
    async (rows) => {
      const first = await open(rows);
      const sealed = sealerWithKeys(first.sealerKeys).seal('a secret', 'text');
      await write(first, 'a', sealed);
      await write(first, 'b', 'plans');
      const { a: before } = await keysAtRest();

      const next = await createSealKeyFile(join(root, 'next.key'));
      await writeSealKeyFile(join(root, 'seal.key'), [next, key]);
      logged = [];
      await open();
      await rewritten();
      const after = await keysAtRest();
      expect(after.b === 'clear').toBe(rows === 'secrets');
      expect(Object.values(after)).not.toContain(before === 'clear' ? undefined : before);

      await writeSealKeyFile(join(root, 'seal.key'), [next]);
      const again = await open();
      expect(await read(again, 'a')).toBe(sealed);
      expect(await read(again, 'b')).toBe('plans');
      expect(sealerWithKeys(again.sealerKeys).open('a secret', sealed)).toBe('text');
      expect(await keysAtRest()).toEqual(after);
    },
  );

  it('is not opened with another seal key, and is not changed', async () => {
    await write(await open('all'), 'a', 'plans');
    const before = await keysAtRest();
    await createSealKeyFile(join(root, 'seal.key'));
    await expect(open()).rejects.toThrow(/is not the seal key of this store: the store needs the key [\da-f]{12}/);
    await writeSealKeyFile(join(root, 'seal.key'), [key]);
    expect(await keysAtRest()).toEqual(before);
    expect(await read(await open(), 'a')).toBe('plans');
  });
});
