import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LineInFile, readLinesBackwards } from './read-lines-backwards.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lines-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function withFile<T>(text: string | Uint8Array, read: (file: FileHandle) => Promise<T>): Promise<T> {
  const path = join(directory, 'file');
  await writeFile(path, text);
  const file = await open(path);
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

async function linesOf(text: string, pieceBytes?: number): Promise<string[]> {
  return await withFile(text, async (file) => {
    const lines: string[] = [];
    for await (const piece of readLinesBackwards(file, Buffer.byteLength(text), pieceBytes)) {
      lines.push(...piece.lines.map((line) => line.text));
    }
    return lines;
  });
}

async function lastLine(file: FileHandle, end: number, pieceBytes: number): Promise<LineInFile | undefined> {
  for await (const { lines } of readLinesBackwards(file, end, pieceBytes)) {
    if (lines[0] !== undefined) return lines[0];
  }
  return undefined;
}

describe('linesBackwards', () => {
  it('returns the lines of a file, last line first', async () => {
    expect(await linesOf('one\ntwo\n\nfour\n')).toEqual(['four', '', 'two', 'one']);
    expect(await linesOf('')).toEqual([]);
    expect(await linesOf('\n')).toEqual(['']);
  });

  it('omits an unterminated line', async () => {
    expect(await linesOf('one\ntwo\nto')).toEqual(['two', 'one']);
    expect(await linesOf('to')).toEqual([]);
    expect(await linesOf('one\nlonger than a piece', 4)).toEqual(['one']);
  });

  it('returns the same lines for any chunk size, and can resume from each line', async () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\u{1f6a2}', ' '), maxLength: 12 }));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (lines, pieceBytes, isTorn) => {
        const text = lines.map((line) => `${line}\n`).join('') + (isTorn ? 'torn' : '');
        await withFile(text, async (file) => {
          const found: string[] = [];
          for (let end = Buffer.byteLength(text); end > 0; ) {
            const line = await lastLine(file, end, pieceBytes);
            if (line !== undefined) found.push(line.text);
            end = line?.start ?? 0;
          }
          expect(found).toEqual(lines.toReversed());
          expect(await linesOf(text, pieceBytes)).toEqual(lines.toReversed());
        });
      }),
      { numRuns: 60 },
    );
  });

  it('skips a line that is too long', async () => {
    const long = 'x'.repeat(3 * 1024 * 1024);
    expect(await linesOf(`one\n${long}\nthree\n`)).toEqual(['three', 'one']);
  });
});
