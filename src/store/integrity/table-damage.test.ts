import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from './manifest.ts';
import { decompressSnappy } from './snappy.ts';
import { findTableDamage } from './table-damage.ts';

let directory: string;
/** A table with several blocks, some of them compressed. It is small enough for tests that change every byte. */
let table: Buffer;
let tableName: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-table-'));
  for (let round = 0; round < 2; round++) {
    const db = new ClassicLevel(directory);
    await db.open();
    for (let row = 0; row < 30; row++) {
      const value = row % 2 === 0 ? 'the same again '.repeat(20) : randomBytes(200).toString('base64');
      await db.put(`row ${round} ${row}`, value);
    }
    await db.close();
  }
  tableName = (await readdir(directory)).find((file) => file.endsWith('.ldb')) ?? '';
  table = await readFile(join(directory, tableName));
});

afterAll(() => rm(directory, { recursive: true }));

describe('a LevelDB table', () => {
  it('is intact as written', () => {
    expect(table.length).toBeGreaterThan(4096);
    expect(findTableDamage(table)).toBeUndefined();
  });

  it('is damaged if any byte has changed, except in the padding of the footer', () => {
    const footer = table.length - 48;
    const padding = (at: number) => at >= footer && at < table.length - 8 && table[at] === 0;
    // Never flips the highest bit of a varint's last byte, because this only appends a zero.
    for (let at = 0; at < table.length; at++) {
      if (padding(at)) continue;
      const changed = Buffer.from(table);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 7)), at);
      expect(findTableDamage(changed), `byte ${at} of ${table.length}`).toBeTypeOf('number');
    }
  });

  it('is damaged if it is truncated anywhere, empty or too long', () => {
    for (let length = 0; length < table.length; length += 7) {
      expect(findTableDamage(table.subarray(0, length))).toBeTypeOf('number');
    }
    expect(findTableDamage(Buffer.concat([table, Buffer.alloc(1)]))).toBeTypeOf('number');
  });

  it('is in the manifest with its size, and the log that is still needed exists', async () => {
    const files = await readdir(directory);
    const manifest = readManifest(await readFile(join(directory, files.find((file) => /^MANIFEST/.test(file)) ?? '')));
    expect(manifest.tables.get(Number.parseInt(tableName, 10))).toBe(table.length);
    expect(files).toContain(`${String(manifest.logNumber).padStart(6, '0')}.log`);
  });
});

describe('a Snappy block', () => {
  it('with literals, back-references and overlapping back-references is decompressed', () => {
    // The literal "ab", a copy of 6 bytes from 2 bytes back, a copy of 4 bytes from 8 bytes back with a wider offset,
    // and a literal with a separate length byte.
    const packed = Buffer.from([
      ...[0x11],
      ...[0x04, 0x61, 0x62],
      ...[0x09, 0x02],
      ...[0x0e, 0x08, 0x00],
      ...[0xf0, 4],
    ]);
    const unpacked = decompressSnappy(Buffer.concat([packed, Buffer.from('12345')]));
    expect(unpacked.toString()).toBe('abababababab12345');
  });

  it('with any combination of elements is decompressed', () => {
    const part = fc.oneof(
      fc.record({ literal: fc.uint8Array({ minLength: 1, maxLength: 100 }) }),
      fc.record({ back: fc.integer({ min: 1, max: 200 }), count: fc.integer({ min: 1, max: 64 }) }),
    );
    const property = fc.property(fc.array(part), (parts) => {
      const plain: number[] = [];
      const packed: number[] = [];
      for (const each of parts) {
        if ('literal' in each) {
          const length = each.literal.length - 1;
          packed.push(...(length < 60 ? [length << 2] : [60 << 2, length]), ...each.literal);
          plain.push(...each.literal);
        } else if (each.back <= plain.length) {
          packed.push(((each.count - 1) << 2) | 2, each.back, 0);
          for (let done = 0; done < each.count; done++) plain.push(plain.at(-each.back) ?? 0);
        }
      }
      const length = plain.length < 128 ? [plain.length] : [(plain.length & 0x7f) | 0x80, plain.length >> 7];
      if (plain.length >= 1 << 14) return;
      expect([...decompressSnappy(Buffer.from([...length, ...packed]))]).toEqual(plain);
    });
    fc.assert(property);
  });

  it.each([
    ['ends too early', [0x05, 0x10, 0x61]],
    ['is shorter than its declared length', [0x05, 0x00, 0x61]],
    ['is longer than its declared length', [0x01, 0x04, 0x61, 0x62]],
    ['refers back before its start', [0x05, 0x00, 0x61, 0x01, 0x05]],
  ])('is rejected if it %s', (_, bytes) => {
    expect(() => decompressSnappy(Buffer.from(bytes))).toThrow(RangeError);
  });
});
