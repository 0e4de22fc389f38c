import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackupError, backupLines, restoreBackup } from './backup.ts';
import { openEmbeddedStore } from './embedded/embedded.ts';
import { openMemoryStore } from './memory.ts';
import type { Store } from './store.ts';
import {
  collectAsync,
  historyOf,
  putValue,
  removeKey,
  storeErrorOf,
  storeKey,
  storeRange,
} from './suite/suite-store.ts';

let root: string;
const opened: Store[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'flotilla-backup-'));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(root, { recursive: true, force: true });
});

async function open(name: string): Promise<Store> {
  const store = await openEmbeddedStore({ directory: join(root, name) });
  opened.push(store);
  return store;
}

async function filled(store: Store): Promise<Store> {
  await store.transact({
    writes: Array.from({ length: 2500 }, (_, n) => ({ key: storeKey('many', `${n}`), value: `value ${n} ä\u0000"` })),
  });
  for (const value of ['1', '2', '3']) await putValue(store, storeKey('s', 'x'), value);
  await putValue(store, storeKey('s', 'gone'), '');
  await removeKey(store, storeKey('s', 'gone'));
  await store.transact({ writes: [{ key: storeKey('quiet', 'x'), value: 'q', unlogged: true }] });
  return store;
}

async function* from(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('a backup', () => {
  it('restores the same identity and entries, and every slice is at the revision of the restored store', async () => {
    const store = await filled(await open('original'));
    const lists = await Promise.all(['many', 's', 'quiet'].map((slice) => store.list(storeRange(slice))));
    const restored = await restoreBackup(backupLines(store), join(root, 'restored'));
    expect(restored).toEqual({ identity: store.identity, entries: 2502, revision: 1_000_002_506 });

    const again = await open('restored');
    expect(again.identity).toBe(store.identity);
    for (const [index, slice] of ['many', 's', 'quiet'].entries()) {
      const { entries, revision } = await again.list(storeRange(slice));
      expect(entries).toEqual(lists[index]?.entries);
      expect(revision).toBe(slice === 'quiet' ? 1 : restored.revision);
    }
  });

  it('does not reuse revisions that were assigned after it was made', async () => {
    const store = await filled(await open('original'));
    const lines = await collectAsync(backupLines(store));
    const given = await putValue(store, storeKey('s', 'x'), 'after the backup');
    await restoreBackup(from(lines), join(root, 'restored'));
    expect(await putValue(await open('restored'), storeKey('s', 'x'), 'after the restore')).toBeGreaterThan(given);
  });

  it('has no history: watches from before and after the backup get Expired, watches from the restore continue', async () => {
    const store = await filled(await open('original'));
    const lines = await collectAsync(backupLines(store));
    const last = await store.revision('s');
    const discarded = await putValue(store, storeKey('s', 'ghost'), 'after the backup');
    const { revision } = await restoreBackup(from(lines), join(root, 'restored'));
    const again = await open('restored');
    const isExpired = { code: 'Expired', detail: revision };
    const assertExpired = async () => {
      for (const since of [last - 1, last, discarded, discarded + 1, revision - 1]) {
        expect(await storeErrorOf(historyOf(again, storeRange('s'), since))).toMatchObject(isExpired);
      }
    };
    await assertExpired();
    expect(await historyOf(again, storeRange('s'), revision)).toEqual([]);
    await putValue(again, storeKey('s', 'x'), 'new');
    await assertExpired();
    expect(await historyOf(again, storeRange('s'), revision)).toHaveLength(1);
  });

  it('of a memory store can be restored', async () => {
    const store = await filled(openMemoryStore());
    opened.push(store);
    await restoreBackup(backupLines(store), join(root, 'restored'));
    const { entries } = await (await open('restored')).list(storeRange('s'));
    expect(entries).toEqual((await store.list(storeRange('s'))).entries);
  });

  it('is a consistent snapshot during concurrent writes', async () => {
    const store = await filled(await open('original'));
    let writing = true;
    const writer = (async () => {
      for (let n = 0; writing; n++) {
        await store.transact({
          writes: [
            { key: storeKey('pair', 'a'), value: `${n}` },
            { key: storeKey('pair', 'b'), value: `${n}` },
          ],
        });
      }
    })();
    for (let n = 0; n < 3; n++) await restoreBackup(backupLines(store), join(root, `restored-${n}`));
    writing = false;
    await writer;
    for (let n = 0; n < 3; n++) {
      const { entries } = await (await open(`restored-${n}`)).list(storeRange('pair'));
      expect(new Set(entries.map(({ value }) => value)).size).toBeLessThanOrEqual(1);
    }
  });

  it('of an empty store restores to an empty store', async () => {
    const store = await open('original');
    expect(await restoreBackup(backupLines(store), join(root, 'restored'))).toEqual({
      identity: store.identity,
      entries: 0,
      revision: 1_000_000_001,
    });
    expect((await open('restored')).identity).toBe(store.identity);
  });
});

describe('a restore', () => {
  const refusal = async (lines: readonly string[], directory = join(root, 'restored')) => {
    const error = await restoreBackup(from(lines), directory).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupError);
    return (error as BackupError).message;
  };

  async function goodLines(): Promise<string[]> {
    const store = openMemoryStore();
    for (const name of ['a', 'b', 'c']) await putValue(store, storeKey('s', name), `value of ${name}`);
    const lines = await collectAsync(backupLines(store));
    await store.close();
    return lines;
  }

  it('rejects a backup truncated after any line, and leaves no files', async () => {
    const lines = await goodLines();
    for (let kept = 0; kept < lines.length; kept++) {
      expect(await refusal(lines.slice(0, kept))).toMatch(kept === 0 ? /is empty/ : /is truncated/);
      expect(await readdir(join(root, 'restored'))).toEqual([]);
    }
  });

  it('rejects a backup with any changed character, and leaves no files', async () => {
    const lines = await goodLines();
    for (const [index, line] of lines.entries()) {
      for (let at = 0; at < line.length; at += 3) {
        const changed = `${line.slice(0, at)}${line[at] === '7' ? '8' : '7'}${line.slice(at + 1)}`;
        await refusal(lines.with(index, changed));
        expect(await readdir(join(root, 'restored'))).toEqual([]);
      }
    }
  });

  it('rejects missing, duplicated, swapped and appended lines', async () => {
    const lines = await goodLines();
    const [first = '', second = '', third = '', ...rest] = lines;
    for (const changed of [
      [first, third, ...rest],
      [first, second, second, third, ...rest],
      [first, third, second, ...rest],
    ]) {
      expect(await refusal(changed)).toMatch(/checksum/);
    }
    expect(await refusal([...lines, second])).toMatch(/has data after its checksum line/);
    expect(await refusal(['{"some":"json"}', ...lines])).toBe('this is not a Flotilla backup');
    expect(await refusal(['not json', ...lines])).toBe('this is not a Flotilla backup');
    expect(await refusal([first.replace('"version":1', '"version":2'), ...lines.slice(1)])).toMatch(/newer version/);
  });

  it('rejects a directory that is not empty, and changes nothing in it', async () => {
    const directory = join(root, 'full');
    await mkdir(directory);
    await writeFile(join(directory, 'precious'), '');
    expect(await refusal(await goodLines(), directory)).toMatch(`the directory ${directory} is not empty`);
    expect(await readdir(directory)).toEqual(['precious']);
  });

  it('that is interrupted at any point leaves no usable store', async () => {
    const directory = join(root, 'half');
    const db = new ClassicLevel(directory);
    await db.put('mrestoring', '');
    await db.close();
    expect(await storeErrorOf(openEmbeddedStore({ directory }))).toMatchObject({
      code: 'CannotOpen',
      message: expect.stringContaining('an unfinished restore'),
    });
  });

  it('rejects with the error of its source, and leaves no files', async () => {
    const lines = await goodLines();
    async function* failing() {
      yield* lines.slice(0, 2);
      throw new Error('the file cannot be read');
    }
    await expect(restoreBackup(failing(), join(root, 'restored'))).rejects.toThrow('the file cannot be read');
    expect(await readdir(join(root, 'restored'))).toEqual([]);
  });
});
