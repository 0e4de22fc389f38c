import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { storeSuite } from '../store.suite.ts';
import type { Change, Store, WatchWakeCounter } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { ChangeRecorder } from '../suite/recorder.ts';
import {
  collectAsync,
  historyOf,
  putValue,
  removeKey,
  storeErrorCodeOf,
  storeErrorOf,
  storeKey,
  storeRange,
} from '../suite/suite-store.ts';
import { type EmbeddedStoreOptions, openEmbeddedStore } from './embedded.ts';

const directories: string[] = [];

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-store-'));
  directories.push(directory);
  return directory;
}

afterAll(async () => {
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
});

storeSuite('embedded store', async (options) => openEmbeddedStore({ ...options, directory: await newDirectory() }));

const opened: Store[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

async function open(options: EmbeddedStoreOptions): Promise<Store> {
  const store = await openEmbeddedStore(options);
  opened.push(store);
  return store;
}

describe('a reopened embedded store', () => {
  it('has the same identity, entries, revisions and history, and continues the revisions', async () => {
    const directory = await newDirectory();
    const first = await open({ directory });
    for (const value of ['1', '2']) await putValue(first, storeKey('s', 'x'), value);
    await first.transact({ writes: [{ key: storeKey('s', 'quiet'), value: 'q', unlogged: true }] });
    await putValue(first, storeKey('s', 'y'), '3');
    await removeKey(first, storeKey('s', 'y'));
    const [list, past, changes, rows] = [
      await first.list(storeRange('s')),
      await first.list(storeRange('s'), { atRevision: 2 }),
      await historyOf(first, storeRange('s'), 1),
      await collectAsync(first.dump()),
    ];
    await first.close();

    const second = await open({ directory });
    expect(second.identity).toBe(first.identity);
    expect(await second.list(storeRange('s'))).toEqual(list);
    expect(await second.list(storeRange('s'), { atRevision: 2 })).toEqual(past);
    expect(await historyOf(second, storeRange('s'), 1)).toEqual(changes);
    expect(await collectAsync(second.dump())).toEqual(rows);
    expect(await second.revision('s')).toBe(5);
    expect(await putValue(second, storeKey('s', 'x'), '4')).toBe(6);
  });

  it('does not reuse the revision of a removal or of a removed slice', async () => {
    const directory = await newDirectory();
    const first = await open({ directory });
    await putValue(first, storeKey('s', 'x'), '1');
    await putValue(first, storeKey('t', 'x'), '1');
    await removeKey(first, storeKey('t', 'x'));
    await first.removePrefix(storeRange('t'));
    await first.close();
    const second = await open({ directory });
    expect(await putValue(second, storeKey('s', 'x'), '2')).toBe(5);
  });

  it('keeps the compaction floor', async () => {
    const directory = await newDirectory();
    const first = await open({ directory });
    for (const value of ['2', '3', '4']) await putValue(first, storeKey('s', 'x'), value);
    await first.compact('s', 3);
    await first.close();
    const second = await open({ directory });
    expect(await storeErrorOf(historyOf(second, storeRange('s'), 2))).toMatchObject({ code: 'Expired', detail: 3 });
    expect(await historyOf(second, storeRange('s'), 3)).toHaveLength(1);
  });
});

describe('group commit', () => {
  it('needs one or two flushes for 64 concurrent writes, and few for a thousand', async () => {
    const flushes: number[] = [];
    const store = await open({ directory: await newDirectory(), onFlush: ({ items }) => flushes.push(items) });
    await Promise.all(Array.from({ length: 64 }, (_, n) => putValue(store, storeKey('s', `${n}`), 'x')));
    expect(flushes.length).toBeLessThanOrEqual(2);
    expect(flushes.reduce((sum, works) => sum + works)).toBe(64);

    flushes.length = 0;
    const writer = async (name: string) => {
      for (let n = 0; n < 16; n++) await putValue(store, storeKey('s', name), `${n}`);
    };
    await Promise.all(Array.from({ length: 64 }, (_, n) => writer(`${n}`)));
    expect(flushes.reduce((sum, works) => sum + works)).toBe(1024);
    expect(flushes.length).toBeLessThanOrEqual(48);
  });

  it('waits for the second half of the writers only if there are many watches', async () => {
    const flushes: number[] = [];
    const store = await open({ directory: await newDirectory(), onFlush: ({ items }) => flushes.push(items) });
    const changes = (_: readonly Change[], wakes?: WatchWakeCounter) => wakes?.add(8);
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => putValue(store, storeKey('s', `${n}`), 'x'));
    const batchOfAll = async () => {
      await Promise.all(some(10));
      const first = some(5);
      for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...first, ...some(5)]);
      return flushes.at(-1) === 10;
    };
    // Runs fewer rounds than it takes to classify the disk as slow.
    for (let round = 0; round < 4; round++) expect(await batchOfAll()).toBe(false);
    await store.observe(storeRange('s'), 1, { changes, ended() {} });
    // Waits for two consecutive batches of ten items, because after a timeout the next batch does not wait. On a busy
    // machine this may take some rounds.
    let inARow = 0;
    for (let round = 0; round < 200 && inARow < 2; round++) inARow = (await batchOfAll()) ? inARow + 1 : 0;
    expect(inARow).toBe(2);
  });

  it('notifies watches before many writers, but a single writer does not wait for watches', async () => {
    const store = await open({ directory: await newDirectory() });
    const order: string[] = [];
    const changes = () => process.nextTick(() => order.push('watched'));
    await store.observe(storeRange('s'), 1, { changes, ended() {} });
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        putValue(store, storeKey('s', `${n}`), 'x').then(() => order.push('wrote')),
      );
    await Promise.all(some(4));
    expect(order).toEqual(['watched', 'wrote', 'wrote', 'wrote', 'wrote']);
    order.length = 0;
    await Promise.all(some(1));
    await vi.waitFor(() => expect(order).toEqual(['wrote', 'watched']));
  });

  it('notifies many writers only after the events for watches were sent at the end of the tick', async () => {
    const store = await open({ directory: await newDirectory() });
    const order: string[] = [];
    const changes = (_: readonly Change[], wakes?: WatchWakeCounter) => {
      wakes?.add(1);
      process.nextTick(() => setImmediate(() => order.push('left')));
    };
    await store.observe(storeRange('s'), 1, { changes, ended() {} });
    await Promise.all(
      [0, 1, 2, 3].map((n) => putValue(store, storeKey('s', `${n}`), 'x').then(() => order.push('wrote'))),
    );
    expect(order).toEqual(['left', 'wrote', 'wrote', 'wrote', 'wrote']);
  });

  it('fails only the transaction whose check fails', async () => {
    const flushes: number[] = [];
    const store = await open({ directory: await newDirectory(), onFlush: ({ items }) => flushes.push(items) });
    const outcomes = await Promise.allSettled([
      putValue(store, storeKey('s', 'a'), '1'),
      store.transact({
        checks: [{ key: storeKey('s', 'a'), revision: undefined }],
        writes: [{ key: storeKey('s', 'b'), value: '2' }],
      }),
      putValue(store, storeKey('s', 'c'), '3'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.list(storeRange('s'))).entries.map(({ value, revision }) => [value, revision])).toEqual([
      ['1', 2],
      ['3', 3],
    ]);
    expect(flushes).toEqual([3]);
  });
});

it('the embedded store keeps its log open a second time, so that LevelDB removes it without a wait', async () => {
  const directory = await newDirectory();
  const openLogs = async () => {
    const files = (await readdir('/proc/self/fd')).map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => ''));
    return (await Promise.all(files)).filter((file) => file.startsWith(directory) && file.endsWith('.log')).length;
  };
  const store = await openEmbeddedStore({ directory });
  expect(await openLogs()).toBe(1);
  await putValue(store, storeKey('s', 'a'), 'x');
  await vi.waitFor(async () => expect(await openLogs()).toBe(2));
  await store.close();
  expect(await openLogs()).toBe(0);
});

describe('a write in progress', () => {
  /**
   * Blocks the next write: either before it reaches the disk, or after it has reached the disk and before the store
   * knows the result.
   */
  function holdWrite(when: 'before' | 'after'): { reached: Promise<unknown>; release: () => void } {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reach: (options: unknown) => void = () => {};
    const reached = new Promise<unknown>((resolve) => {
      reach = resolve;
    });
    const batch = ClassicLevel.prototype.batch;
    const held = function (this: ClassicLevel) {
      const chained = Reflect.apply(batch, this, []);
      const write = chained.write.bind(chained);
      chained.write = async (options?: object) => {
        if (when === 'after') await write(options ?? {});
        reach(options);
        await released;
        if (when === 'before') await write(options ?? {});
      };
      return chained;
    };
    vi.spyOn(ClassicLevel.prototype, 'batch').mockImplementationOnce(held as never);
    return { reached, release };
  }

  it('is acknowledged, published and readable only after its flush', async () => {
    const store = await open({ directory: await newDirectory() });
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    const { reached, release } = holdWrite('before');
    let acknowledged = false;
    const writing = putValue(store, storeKey('s', 'x'), '1').then(() => {
      acknowledged = true;
    });
    expect(await reached).toEqual({ sync: true });
    expect(await store.get(storeKey('s', 'x'))).toBeUndefined();
    expect((await store.list(storeRange('s'))).entries).toEqual([]);
    expect([acknowledged, recorder.summary, await store.revision('s')]).toEqual([false, [], 1]);
    release();
    await writing;
    expect([recorder.summary, await store.revision('s')]).toEqual([['x=1'], 2]);
  });

  it('is not visible to readers before observers have received it', async () => {
    const store = await open({ directory: await newDirectory() });
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    const { reached, release } = holdWrite('after');
    const writing = putValue(store, storeKey('s', 'x'), '1');
    await reached;
    const reads = [store.get(storeKey('s', 'x')), store.list(storeRange('s')), historyOf(store, storeRange('s'), 1)];
    const receivedAtResult = reads.map(async (read) => {
      await read;
      return recorder.summary;
    });
    // Waits long enough for a read that does not wait for the write. A read that waits cannot resolve earlier.
    for (let tick = 0; tick < 50; tick++) await new Promise(setImmediate);
    release();
    expect(await Promise.all(receivedAtResult)).toEqual([['x=1'], ['x=1'], ['x=1']]);
    await writing;
  });
});

describe('opening an embedded store', () => {
  const message = async (directory: string) => {
    const error = await storeErrorOf(openEmbeddedStore({ directory }));
    expect(error.code).toBe('CannotOpen');
    expect(error.message).not.toContain('\n');
    return error.message.replaceAll(directory, 'DIR');
  };

  /** Creates a closed store with one row. Returns its directory. */
  async function existing(): Promise<string> {
    const directory = await newDirectory();
    const store = await openEmbeddedStore({ directory });
    await putValue(store, storeKey('s', 'x'), '1');
    await store.close();
    return directory;
  }

  async function overwrite(directory: string, row: string, value: string | undefined): Promise<void> {
    const db = new ClassicLevel(directory);
    if (value === undefined) await db.del(row);
    else await db.put(row, value);
    await db.close();
  }

  it('fails if another process uses it', async () => {
    const directory = await newDirectory();
    await open({ directory });
    expect(await message(directory)).toBe('data directory DIR is in use by another process');
  });

  it('fails if a newer version wrote it', async () => {
    const directory = await existing();
    await overwrite(directory, 'mschema', '2');
    expect(await message(directory)).toBe(
      'data directory DIR was written by a newer version: its format is 2, this version supports up to 1',
    );
  });

  it.each([
    ['mschema', undefined],
    ['mschema', 'x'],
    ['midentity', undefined],
    ['mposition', undefined],
    ['mposition', '1'],
    ['mposition', 'x 1'],
    ['ss\u0000', '2 0'],
    ['ss\u0000', '7 0 1'],
  ])('fails if row %j is %j', async (row, value) => {
    const directory = await existing();
    await overwrite(directory, row, value);
    expect(await message(directory)).toMatch(/^data directory DIR is damaged: /);
  });

  it.each(['CURRENT', 'MANIFEST'])('fails if its file %s is missing', async (lost) => {
    const directory = await existing();
    for (const file of await readdir(directory)) if (file.startsWith(lost)) await rm(join(directory, file));
    expect(await message(directory)).toMatch(/^data directory DIR (is damaged|cannot be opened): /);
  });

  it('fails if its manifest is damaged', async () => {
    const directory = await existing();
    const manifest = (await readdir(directory)).find((file) => file.startsWith('MANIFEST'));
    const path = join(directory, manifest ?? '');
    const bytes = await readFile(path);
    bytes.fill(0xff, 0, 16);
    await writeFile(path, bytes);
    expect(await message(directory)).toMatch(/^data directory DIR is damaged: /);
  });

  it('fails if its path is not a directory', async () => {
    const directory = join(await newDirectory(), 'file');
    await writeFile(directory, '');
    expect(await message(directory)).toMatch(/^data directory DIR cannot be opened: /);
  });

  it('releases the lock after a failure', async () => {
    const directory = await existing();
    await overwrite(directory, 'mschema', '2');
    await message(directory);
    await overwrite(directory, 'mschema', '1');
    expect(await (await open({ directory })).revision('s')).toBe(2);
  });
});

describe('a write that fails', () => {
  /** Makes the next writes fail. With `afterwards`, they fail only after they have reached the disk. */
  function failWrites({ times, afterwards }: { times: number; afterwards: boolean }): void {
    const batch = ClassicLevel.prototype.batch;
    const spy = vi.spyOn(ClassicLevel.prototype, 'batch');
    const faulty = function (this: ClassicLevel) {
      const chained = Reflect.apply(batch, this, []);
      const write = chained.write.bind(chained);
      chained.write = async () => {
        if (afterwards) await write({ sync: true });
        throw Object.assign(new Error('IO error: 000004.log: Input/output error'), { code: 'LEVEL_IO_ERROR' });
      };
      return chained;
    };
    for (let time = 0; time < times; time++) spy.mockImplementationOnce(faulty as never);
  }

  it('is retried once on a new handle', async () => {
    const store = await open({ directory: await newDirectory() });
    failWrites({ times: 1, afterwards: false });
    expect(await putValue(store, storeKey('s', 'x'), '1')).toBe(2);
    expect(await putValue(store, storeKey('s', 'x'), '2')).toBe(3);
    expect(await historyOf(store, storeRange('s'), 1)).toHaveLength(2);
  });

  it('twice without being written is rejected with Unavailable; the store reopens and continues', async () => {
    const store = await open({ directory: await newDirectory() });
    const recorder = new ChangeRecorder();
    await putValue(store, storeKey('s', 'x'), '1');
    await store.observe(storeRange('s'), 1, recorder);
    failWrites({ times: 2, afterwards: false });
    const error = await storeErrorOf(putValue(store, storeKey('s', 'x'), '2'));
    expect(error).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('Input/output error') });
    expect((await store.get(storeKey('s', 'x')))?.value).toBe('1');
    expect(await putValue(store, storeKey('s', 'x'), '3')).toBe(3);
    expect(recorder.summary).toEqual(['x=1', 'x=3']);
  });

  it('although it reached the disk is acknowledged and published', async () => {
    const store = await open({ directory: await newDirectory() });
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    failWrites({ times: 1, afterwards: true });
    expect(await putValue(store, storeKey('s', 'x'), '1')).toBe(2);
    expect(recorder.summary).toEqual(['x=1']);
    expect(await putValue(store, storeKey('s', 'x'), '2')).toBe(3);
  });

  it('with only unlogged rows is distinguished from one that was written', async () => {
    const store = await open({ directory: await newDirectory() });
    failWrites({ times: 2, afterwards: false });
    const writes = [{ key: storeKey('s', 'quiet'), value: 'q', unlogged: true }];
    expect(await storeErrorCodeOf(store.transact({ writes }))).toBe('Unavailable');
    expect(await store.get(storeKey('s', 'quiet'))).toBeUndefined();
    await store.transact({ writes });
    expect((await store.get(storeKey('s', 'quiet')))?.value).toBe('q');
  });

  it('does not interrupt reads, not even those in progress during the reopening', async () => {
    const store = await open({ directory: await newDirectory() });
    await store.transact({
      writes: Array.from({ length: 3000 }, (_, n) => ({ key: storeKey('s', `${n}`), value: 'x'.repeat(500) })),
    });
    failWrites({ times: 2, afterwards: false });
    const reads: Promise<number>[] = [];
    const readTwice = () => {
      reads.push(store.list(storeRange('s')).then(({ entries }) => entries.length));
      reads.push(historyOf(store, storeRange('s'), 1).then((changes) => changes.length));
    };
    readTwice();
    const failing = storeErrorCodeOf(putValue(store, storeKey('s', 'x'), '2'));
    for (let tick = 0; tick < 25; tick++) {
      readTwice();
      await new Promise(setImmediate);
    }
    expect(await failing).toBe('Unavailable');
    expect(new Set(await Promise.all(reads))).toEqual(new Set([3000]));
  });

  it('with an unknown result is published when the disk is back, if it was written', async () => {
    const store = await open({ directory: await newDirectory() });
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    const originalOpen = ClassicLevel.prototype.open;
    failWrites({ times: 1, afterwards: true });
    const opening = vi
      .spyOn(ClassicLevel.prototype, 'open')
      .mockRejectedValueOnce(new StoreError('CannotOpen', 'not now'));
    expect(await storeErrorCodeOf(putValue(store, storeKey('s', 'x'), '1'))).toBe('Unavailable');
    expect(recorder.summary).toEqual([]);
    opening.mockImplementation(originalOpen as never);
    expect(await putValue(store, storeKey('s', 'x'), '2')).toBe(3);
    expect(recorder.summary).toEqual(['x=1', 'x=2']);
  });

  it('with an unknown result is not overwritten by a caller that has not observed it', async () => {
    const store = await open({ directory: await newDirectory() });
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    failWrites({ times: 1, afterwards: true });
    vi.spyOn(ClassicLevel.prototype, 'open').mockRejectedValueOnce(new StoreError('CannotOpen', 'not now'));
    expect(await storeErrorCodeOf(putValue(store, storeKey('s', 'x'), '1'))).toBe('Unavailable');
    expect(recorder.summary).toEqual([]);
    const checks = [{ key: storeKey('s', 'x'), revision: undefined }];
    const writes = [{ key: storeKey('s', 'x'), value: '2' }];
    expect(await storeErrorCodeOf(store.transact({ checks, writes }))).toBe('CheckFailed');
    expect(recorder.summary).toEqual(['x=1']);
  });
});
