import { cp, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';
import type { Change, ListResult } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { historyOf, putValue, removeKey, storeKey, storeRange } from '../../src/store/suite/suite-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { storeState, storeStateIn } from './store-state.ts';

const flips = 600;
const random = new SeededRandom(20_260_101);

let root: string;
let original: string;
let state: string;
/** All files of a store, except LevelDB's info log and its lock, which contain no data. */
let files: string[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'flotilla-flips-'));
  original = join(root, 'original');
  await fill(original);
  state = await storeStateIn(original);
  // Reopening the store converted the last log to a table and created a new log.
  const store = await openEmbeddedStore({ directory: original });
  for (let n = 0; n < 20; n++) await putValue(store, storeKey('s', `${n}`), `in the log ${n}`);
  state = await storeState(store);
  await store.close();
  files = (await readdir(original)).filter((file) => !['LOCK', 'LOG', 'LOG.old'].includes(file)).sort();
});
afterAll(() => rm(root, { recursive: true }));

/** Creates many tables on several levels: every opening creates one, and LevelDB merges them. */
async function fill(directory: string): Promise<void> {
  for (let round = 0; round < 8; round++) {
    const store = await openEmbeddedStore({ directory });
    for (let n = 0; n < 40; n++) {
      const noise = Array.from({ length: 30 }, () => random.below(2 ** 32).toString(36)).join('');
      await putValue(store, storeKey('s', `${round % 3}-${n}`), n % 2 === 0 ? 'again '.repeat(100) : noise);
    }
    for (let n = 0; n < 5; n++) await removeKey(store, storeKey('s', `${round % 3}-${n}`));
    await store.close();
  }
}

async function flipIn(path: string, at: number, bit: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte.writeUInt8(byte.readUInt8() ^ (1 << bit));
  await file.write(byte, 0, 1, at);
  await file.close();
}

describe('a store with a flipped bit in its files', () => {
  it('does not open and names the file, or holds exactly its previous contents', async () => {
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(original, file))).size));
    const outcomes = { found: 0, harmless: 0 };
    const directory = join(root, 'copy');
    for (let flip = 0; flip < flips; flip++) {
      // The files are chosen in rotation, so each kind of file is covered, even if it is small.
      const index = flip % files.length;
      const file = files[index] ?? '';
      if (sizes[index] === 0) continue;
      const at = random.below(sizes[index] ?? 0);
      await cp(original, directory, { recursive: true });
      await flipIn(join(directory, file), at, random.below(8));
      try {
        expect(await storeStateIn(directory), `${file} at byte ${at}`).toBe(state);
        outcomes.harmless++;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        expect(error.code).toBe('CannotOpen');
        expect(error.message, `${file} at byte ${at}`).toMatch(/^data directory \S+ is damaged: /);
        expect(error.message).toContain(file.replace(/-.*/, ''));
        outcomes.found++;
      }
      await rm(directory, { recursive: true });
    }
    console.log(`${flips} flipped bits in ${files.length} files: ${JSON.stringify(outcomes)}`);
    expect(outcomes.found).toBeGreaterThan(flips * 0.8);
  });

  it('does not open if any one of its files is missing', async () => {
    const directory = join(root, 'without');
    for (const file of files) {
      await cp(original, directory, { recursive: true });
      await rm(join(directory, file));
      await expect(storeStateIn(directory), file).rejects.toMatchObject({ code: 'CannotOpen' });
      await rm(directory, { recursive: true });
    }
  });

  // A bit that hides a row (in an index, for example) is detected only at the next opening.
  it('never returns a changed row while it is open', async () => {
    const outcomes = { found: 0, same: 0, hidden: 0 };
    const known = new Set(rowsOf(JSON.parse(state)));
    for (let flip = 0; flip < 150; flip++) {
      const directory = join(root, `open-${flip}`);
      await cp(original, directory, { recursive: true });
      const store = await openEmbeddedStore({ directory });
      try {
        const path = join(directory, random.pick((await readdir(directory)).filter((file) => file.endsWith('.ldb'))));
        await flipIn(path, random.below((await stat(path)).size - 48), random.below(8));
        const rows = rowsOf([
          null,
          null,
          await store.list(storeRange('s')),
          await historyOf(store, storeRange('s'), 1),
        ]);
        for (const row of rows) expect(known).toContain(row);
        outcomes[rows.length === known.size ? 'same' : 'hidden']++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'Damaged', message: expect.stringMatching(/^the store is damaged: /) });
        outcomes.found++;
      } finally {
        await store.close();
        await rm(directory, { recursive: true });
      }
    }
    console.log(`150 bits flipped under an open store: ${JSON.stringify(outcomes)}`);
    expect(outcomes.found).toBeGreaterThan(20);
  });
});

function rowsOf([, , list, history]: readonly unknown[]): string[] {
  return [(list as ListResult).entries, history as readonly Change[]].flat().map((row) => JSON.stringify(row));
}
