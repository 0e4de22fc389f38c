import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Store } from '../store.ts';
import type { StoreError } from '../store-error.ts';
import { historyOf, putValue, removeKey, storeKey, storeRange } from '../suite/suite-store.ts';
import { compactionInterval } from './compactor.ts';
import { type EmbeddedStoreOptions, openEmbeddedStore } from './embedded.ts';

const mebibyte = 1024 * 1024;
const mounted: string[] = [];
const opened: Store[] = [];

function mountSmallDisk(megabytes: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
  mounted.push(directory);
  return directory;
}

function whyNoDisk(): string | undefined {
  if (process.platform !== 'linux') return `tmpfs is mounted on Linux only, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'mounting a tmpfs needs root';
  try {
    mountSmallDisk(1);
    return undefined;
  } catch (error) {
    return `a tmpfs cannot be mounted: ${error instanceof Error ? error.message : error}`;
  }
}

async function open(options: EmbeddedStoreOptions): Promise<Store> {
  const store = await openEmbeddedStore(options);
  opened.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

afterAll(() => {
  for (const directory of mounted) {
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true });
  }
});

const reason = whyNoDisk();
if (reason !== undefined) console.warn(`SKIPPED: the store on a full disk is not tested here: ${reason}`);

/** Writes until a write is rejected. Records the acknowledged writes. */
async function fill(store: Store, acknowledged: Map<string, string>, bytes = 15_000): Promise<StoreError> {
  for (let count = 0; count < 10_000; count++) {
    const name = `${acknowledged.size}`;
    const value = randomBytes(bytes).toString('base64');
    try {
      await putValue(store, storeKey('s', name), value);
    } catch (error) {
      return error as StoreError;
    }
    acknowledged.set(name, value);
  }
  throw new Error('the disk did not get full');
}

async function assertReadable(store: Store, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const { entries } = await store.list(storeRange('s'));
  expect(new Map(entries.map((entry) => [entry.key.segments.join(), entry.value]))).toEqual(acknowledged);
  expect((await store.get(storeKey('s', '0')))?.value).toBe(acknowledged.get('0'));
}

describe.skipIf(reason !== undefined)(
  `the store on a full disk${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it('rejects writes early, still reads, writes again once space is free, and loses nothing', async () => {
      const disk = mountSmallDisk(32);
      const ballast = join(disk, 'ballast');
      await writeFile(ballast, Buffer.alloc(10 * mebibyte));
      const directory = join(disk, 'store');
      const store = await open({ directory });
      const acknowledged = new Map<string, string>();

      const error = await fill(store, acknowledged);
      expect(error).toMatchObject({ name: 'StoreError', code: 'OutOfSpace' });
      expect(error.message).toMatch(/^the disk of the data directory is full: /);
      expect(acknowledged.size).toBeGreaterThan(20);
      await assertReadable(store, acknowledged);
      expect((await fill(store, acknowledged)).code).toBe('OutOfSpace');
      await assertReadable(store, acknowledged);

      await rm(ballast);
      const before = acknowledged.size;
      expect(await putValue(store, storeKey('s', '0'), 'changed')).toBe(before + 2);
      acknowledged.set('0', 'changed');
      expect((await fill(store, acknowledged)).code).toBe('OutOfSpace');
      expect(acknowledged.size).toBeGreaterThan(before);
      await store.close();

      const again = await open({ directory });
      await assertReadable(again, acknowledged);
      expect(await again.revision('s')).toBe(acknowledged.size + 2);
    }, 60_000);

    it('accepts removals on a full disk, and writes again after it has freed their space', async () => {
      const disk = mountSmallDisk(160);
      const clock = new ManualClock();
      const store = await open({ directory: join(disk, 'store'), clock });
      const acknowledged = new Map<string, string>();
      expect((await fill(store, acknowledged, 150_000)).message).toMatch(/delete objects that are not needed/);
      const names = [...acknowledged.keys()].slice(0, acknowledged.size / 2);
      const pass = () => {
        clock.advance(compactionInterval);
        return new Promise((resolve) => setImmediate(resolve));
      };
      for (const name of names) {
        await removeKey(store, storeKey('s', name));
        acknowledged.delete(name);
      }
      const isWritable = () =>
        store.assertWritable().then(
          () => true,
          () => false,
        );
      // Waits until writes succeed. Compactions run every ten seconds and remove history that is at least ten seconds
      // old.
      while (!(await isWritable())) await pass();
      const { entries } = await store.list(storeRange('s'));
      expect(new Map(entries.map((entry) => [entry.key.segments.join(), entry.value]))).toEqual(acknowledged);
    }, 60_000);

    it('opens after a merge that a full disk has interrupted, by removing the tables that it left', async () => {
      const disk = mountSmallDisk(32);
      const directory = join(disk, 'store');
      const store = await open({ directory });
      const acknowledged = new Map<string, string>();
      await fill(store, acknowledged);
      await store.close();
      const left = join(directory, '999999.ldb');
      await writeFile(left, Buffer.alloc(32 * mebibyte)).catch(() => {});
      expect(statfsSync(disk).bavail).toBe(0);
      await assertReadable(await open({ directory }), acknowledged);
      expect(existsSync(left)).toBe(false);
    }, 60_000);

    it('survives a write that the disk rejects (without any reserve)', async () => {
      const disk = mountSmallDisk(32);
      const ballast = join(disk, 'ballast');
      const directory = join(disk, 'store');
      const store = await open({ directory, reserveBytes: Number.NEGATIVE_INFINITY });
      const acknowledged = new Map<string, string>();
      await putValue(store, storeKey('s', 'first'), 'x'.repeat(1000));
      acknowledged.set('first', 'x'.repeat(1000));
      await writeFile(ballast, Buffer.alloc(26 * mebibyte));

      for (let round = 0; round < 3; round++) {
        expect((await fill(store, acknowledged)).code).toBe('OutOfSpace');
        await assertReadable(store, acknowledged);
      }
      await rm(ballast);
      const before = acknowledged.size;
      const name = 'room';
      await putValue(store, storeKey('s', name), 'again');
      acknowledged.set(name, 'again');
      await assertReadable(store, acknowledged);
      expect(await store.revision('s')).toBe(before + 2);
      await store.close();

      const again = await open({ directory, reserveBytes: Number.NEGATIVE_INFINITY });
      await assertReadable(again, acknowledged);
      expect((await historyOf(again, storeRange('s'), 1)).map(({ revision }) => revision)).toEqual(
        Array.from({ length: before + 1 }, (_, n) => n + 2),
      );
    }, 60_000);
  },
);
