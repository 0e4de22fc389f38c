import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function collect(text: string | Uint8Array, size: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(inPieces(Buffer.from(text), size))) lines.push(line);
  return lines;
}

describe('readLines', () => {
  it('returns the same lines for any chunking, even inside a character', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        expect(await collect(lines.map((each) => `${each}\n`).join(''), size)).toEqual(lines);
      }),
    );
  });

  it('returns a last line without a newline', async () => {
    expect(await collect('a\n\nb', 1)).toEqual(['a', '', 'b']);
  });

  it('rejects invalid UTF-8', async () => {
    await expect(collect(Uint8Array.of(0x61, 0xff), 1)).rejects.toThrow();
  });
});
