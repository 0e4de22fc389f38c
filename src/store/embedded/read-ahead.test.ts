import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAhead } from './read-ahead.ts';

let directory: string;
const contents = [3000, 0, 70_000, 1, 5000].map((length) => randomBytes(length));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-ahead-'));
  await Promise.all(contents.map((content, index) => writeFile(pathOf(index), content)));
});

afterAll(() => rm(directory, { recursive: true }));

function allFiles() {
  return contents.map(({ length }, index) => ({ index, path: pathOf(index), size: length }));
}

function pathOf(index: number): string {
  return join(directory, String(index));
}

describe('readAhead', () => {
  it('returns whole files in order', async () => {
    const seen: number[] = [];
    for await (const { file, bytes } of readAhead(allFiles())) {
      seen.push(file.index);
      expect(bytes.equals(contents[file.index] as Buffer)).toBe(true);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    for await (const none of readAhead([])) throw new Error(`there is ${none}`);
  });

  it('shows that a file is shorter or longer than expected', async () => {
    const lengths: number[] = [];
    const changed = allFiles().map((file) => ({ ...file, size: file.size + (file.index === 2 ? -10 : 10) }));
    for await (const { bytes } of readAhead(changed)) lengths.push(bytes.length);
    expect(lengths).toEqual([3000, 0, 69_991, 1, 5000]);
  });

  it('fails at a missing file, and not before', async () => {
    const missing = [...allFiles().slice(0, 2), { index: 9, path: pathOf(9), size: 1 }, ...allFiles().slice(2)];
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { file } of readAhead(missing)) seen.push(file.index);
    })();
    await expect(reading).rejects.toThrow('ENOENT');
    expect(seen).toEqual([0, 1]);
  });

  it('can be stopped early, even if the next file is missing', async () => {
    const missing = [...allFiles().slice(0, 1), { index: 9, path: pathOf(9), size: 1 }];
    for await (const { file } of readAhead(missing)) {
      expect(file.index).toBe(0);
      break;
    }
  });
});
