import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { openEmbeddedStore } from '../embedded/embedded.ts';
import type { Store } from '../store.ts';
import { putValue, storeErrorOf, storeKey, storeRange } from '../suite/suite-store.ts';
import { findDroppedEnd, findLogDamage } from './log-damage.ts';

let root: string;
let original: string;
let name: string;
let log: Buffer;
/** The length of the log after each batch. All data before this length is acknowledged. */
const batchEnds: number[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'flotilla-log-'));
  original = join(root, 'original');
  const store: Store = await openEmbeddedStore({ directory: original });
  name = (await readdir(original)).find((file) => file.endsWith('.log')) ?? '';
  const size = async () => batchEnds.push((await readFile(join(original, name))).length);
  await size();
  for (let n = 0; n < 12; n++) {
    await putValue(store, storeKey('s', `${n}`), `${n}`.repeat(n % 4 === 3 ? 60_000 : 40));
    await size();
  }
  log = await readFile(join(original, name));
  await cp(original, join(root, 'copy'), { recursive: true });
  await store.close();
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('the log of a store', () => {
  it('is intact as written, and truncated anywhere', () => {
    expect(findLogDamage(log)).toBeUndefined();
    for (let length = 0; length < log.length; length += 977)
      expect(findLogDamage(log.subarray(0, length))).toBeUndefined();
  });

  it('that ends within a batch is reported with the offset at which the batch begins, which is dropped', () => {
    for (const end of batchEnds) expect(findDroppedEnd(log.subarray(0, end))).toBeUndefined();
    for (const [index, begin] of batchEnds.slice(0, -1).entries()) {
      const end = batchEnds[index + 1] ?? 0;
      expect(findDroppedEnd(log.subarray(0, end - 1)), `batch ${index}`).toBe(begin);
      const changed = Buffer.from(log.subarray(0, end));
      changed.writeUInt8(changed.readUInt8(end - 1) ^ 0x10, end - 1);
      expect(findDroppedEnd(changed), `batch ${index}`).toBe(begin);
    }
  });

  it('that loses its last batch causes a warning when the store is opened', async () => {
    const directory = join(root, 'dropped');
    await cp(join(root, 'copy'), directory, { recursive: true });
    await writeFile(join(directory, name), log.subarray(0, -1));
    const warnings: string[] = [];
    const note = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    await (await openEmbeddedStore({ directory, log: note })).close();
    expect(warnings).toEqual([expect.stringContaining('the last record of the log of the store is unreadable')]);
    await (await openEmbeddedStore({ directory, log: note })).close();
    expect(warnings).toHaveLength(1);
  });

  it('is damaged if a bit of any batch except the last has changed', () => {
    for (const [batches, step] of [
      [3, 1],
      [12, 1201],
    ] as const) {
      const lastBegins = batchEnds[batches - 1] ?? 0;
      for (let at = 0; at < lastBegins; at += step) {
        const changed = Buffer.from(log.subarray(0, batchEnds[batches]));
        changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
        expect(findLogDamage(changed), `byte ${at} of ${lastBegins}`).toBeTypeOf('number');
      }
    }
  });

  it('is damaged if a part was overwritten with zeros', () => {
    const [from = 0, to = 0] = batchEnds.slice(2, 4);
    expect(findLogDamage(Buffer.from(log).fill(0, from, to))).toBe(from);
  });

  it('is not damaged if only the last batch, which may be unacknowledged, is torn', () => {
    const torn = log.subarray(0, batchEnds[8]);
    const begins = batchEnds[7] ?? 0;
    for (let at = begins; at + 500 < torn.length; at += 4001) {
      expect(findLogDamage(Buffer.from(torn).fill(0, at, at + 500))).toBeUndefined();
    }
  });

  it('prevents opening the store if it is damaged, but not if its end is torn', async () => {
    const directory = join(root, 'copy');
    const path = join(directory, name);
    const damaged = Buffer.from(log);
    damaged.fill(0xff, (batchEnds[3] ?? 0) + 20, (batchEnds[3] ?? 0) + 24);
    await writeFile(path, damaged);
    const error = await storeErrorOf(openEmbeddedStore({ directory }));
    expect(error).toMatchObject({
      code: 'CannotOpen',
      message: `data directory ${directory} is damaged: ${name} at byte ${batchEnds[3]}`,
    });

    await writeFile(path, log.subarray(0, log.length - 3));
    const store = await openEmbeddedStore({ directory });
    expect((await store.list(storeRange('s'))).entries).toHaveLength(11);
    expect(await store.revision('s')).toBe(12);
    await store.close();
  });
});
