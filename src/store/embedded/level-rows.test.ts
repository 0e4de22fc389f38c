import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LevelHandle } from './level.ts';
import { maxChunkRows, rowChunks } from './level-rows.ts';
import { RowDamagedError, withChecksum } from './row-checksum.ts';

let directory: string;
let db: LevelHandle;
const count = 3 * maxChunkRows + 7;
const rowOf = (index: number) => `d${String(index).padStart(6, '0')}`;
const all = { gte: 'd', lt: 'e' };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-rows-'));
  db = new ClassicLevel(directory);
  const rows = Array.from({ length: count }, (_, index) => rowOf(index));
  await db.batch(rows.map((row) => ({ type: 'put', key: row, value: withChecksum(row, `content of ${row}`) })));
});

afterAll(async () => {
  await db.close();
  await rm(directory, { recursive: true });
});

describe('row chunks', () => {
  it('contain every row once, in order', async () => {
    const seen: string[] = [];
    for await (const rows of rowChunks(db, all)) {
      expect(rows.length).toBeLessThanOrEqual(maxChunkRows);
      for (const [row, content] of rows) {
        expect(content).toBe(`content of ${row}`);
        seen.push(row);
      }
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => rowOf(index)));
  });

  it('contain no more rows than wanted, also if the caller changes the number meanwhile', async () => {
    let wanted = maxChunkRows + 5;
    const sizes: number[] = [];
    const chunks = rowChunks(db, all, () => wanted);
    for await (const rows of chunks) {
      sizes.push(rows.length);
      wanted -= rows.length;
      if (sizes.length === 2) wanted = 2;
    }
    expect(sizes).toEqual([maxChunkRows, 5, 2]);
  });

  it('end at a damaged row, but only for a caller that reads that far', async () => {
    const row = rowOf(2 * maxChunkRows);
    const whole = (await db.get(row)) ?? '';
    await db.put(row, `${whole}!`);
    try {
      const sizes: number[] = [];
      const reading = (async () => {
        for await (const rows of rowChunks(db, all)) sizes.push(rows.length);
      })();
      await expect(reading).rejects.toThrow(RowDamagedError);
      expect(sizes).toEqual([maxChunkRows, maxChunkRows]);
    } finally {
      await db.put(row, whole);
    }
  });

  it('that are not consumed cause no errors, even if the store is closed meanwhile', async () => {
    const other: LevelHandle = new ClassicLevel(join(directory, 'other'));
    await other.batch(
      Array.from({ length: count }, (_, index) => ({
        type: 'put',
        key: rowOf(index),
        value: withChecksum(rowOf(index), ''),
      })),
    );
    const chunks = rowChunks(other, all);
    expect((await chunks.next()).value).toHaveLength(maxChunkRows);
    await other.close();
    await chunks.next().catch(() => {});
    await chunks.return(undefined);
  });
});
