import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterAll, describe, expect, it } from 'vitest';
import { collectAsync, historyOf, putValue, storeErrorOf, storeKey, storeRange } from '../suite/suite-store.ts';
import { openEmbeddedStore } from './embedded.ts';
import { RowDamagedError, verifyRow, withChecksum, withChecksumOfParts } from './row-checksum.ts';

const directories: string[] = [];
afterAll(async () => {
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true })));
});

/** Creates and closes a store with two rows, replaces one row with the result of `change`, and opens the store. */
async function withChangedRow(row: string, change: (stored: ReadonlyMap<string, string>) => string) {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-row-'));
  directories.push(directory);
  const store = await openEmbeddedStore({ directory });
  for (const name of ['x', 'y']) await putValue(store, storeKey('s', name), `value of ${name}`);
  await store.close();
  const db = new ClassicLevel(directory);
  const stored = new Map(await db.iterator().all());
  expect(stored.has(row)).toBe(true);
  await db.put(row, change(stored));
  await db.close();
  return await openEmbeddedStore({ directory });
}

const x = 'ds\u0000x\u0000';
const y = 'ds\u0000y\u0000';

describe('a row', () => {
  it('returns its content, and fails verification under another key or with other content', () => {
    for (const content of ['', 'plain', 'ünïcödé \u0000 🦊']) {
      const stored = withChecksum(x, content);
      expect(verifyRow(x, stored)).toBe(content);
      expect(withChecksumOfParts(x, content, 'and more')).toBe(withChecksum(x, `${content}and more`));
      expect(withChecksumOfParts(x, 'head ', content, 'ünd more')).toBe(withChecksum(x, `head ${content}ünd more`));
      expect(() => verifyRow(y, stored)).toThrow(RowDamagedError);
      expect(() => verifyRow(x, `${stored} `)).toThrow('the row "ds/x/" is damaged');
    }
    expect(() => verifyRow(x, '')).toThrow(RowDamagedError);
  });

  it.each([
    ['changed', (stored: ReadonlyMap<string, string>) => (stored.get(x) ?? '').replace('value', 'valve')],
    ['replaced with its neighbor', (stored: ReadonlyMap<string, string>) => stored.get(y) ?? ''],
    ['emptied', () => ''],
  ])('that was %s is neither returned nor overwritten', async (_, change) => {
    const store = await withChangedRow(x, change);
    const refused = {
      code: 'Damaged',
      message: 'the store is damaged: the row "ds/x/" is damaged; restore the data directory from a backup',
    };
    expect(await storeErrorOf(store.get(storeKey('s', 'x')))).toMatchObject(refused);
    expect(await storeErrorOf(store.list(storeRange('s')))).toMatchObject(refused);
    expect(await storeErrorOf(collectAsync(store.dump()))).toMatchObject(refused);
    expect(await storeErrorOf(putValue(store, storeKey('s', 'x'), 'new'))).toMatchObject(refused);
    expect((await store.get(storeKey('s', 'y')))?.value).toBe('value of y');
    expect(await putValue(store, storeKey('s', 'y'), 'new')).toBe(4);
    await store.close();
  });

  it('of history that was changed is not delivered to observers', async () => {
    const row = `hs\u0000${'3'.padStart(16, '0')}`;
    const store = await withChangedRow(row, (stored) => (stored.get(row) ?? '').replace('value', 'valve'));
    expect(await storeErrorOf(historyOf(store, storeRange('s'), 1))).toMatchObject({ code: 'Damaged' });
    expect(await storeErrorOf(store.observe(storeRange('s'), 1, { changes() {}, ended() {} }))).toMatchObject({
      code: 'Damaged',
    });
    await store.close();
  });

  it('is not reported as damaged while another process uses the store', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-row-'));
    directories.push(directory);
    const store = await openEmbeddedStore({ directory });
    for (const file of await readdir(directory)) if (file.endsWith('.log')) await rm(join(directory, file));
    expect((await storeErrorOf(openEmbeddedStore({ directory }))).message).toContain('in use by another process');
    await store.close();
    expect((await storeErrorOf(openEmbeddedStore({ directory }))).message).toMatch(
      /the file \d+\.log is missing, or MANIFEST-\d+/,
    );
  });
});
