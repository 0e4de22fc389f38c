import { describe, expect, it } from 'vitest';
import { LogBuffer, type LogLine } from './log-buffer.ts';

const lines = (from: number, to: number): LogLine[] =>
  Array.from({ length: to - from }, (_, index) => ({ time: '', text: `line ${from + index}` }));

const textOf = (buffer: LogBuffer) => buffer.chunks.flatMap((chunk) => chunk.lines.map(({ text }) => text));

describe('a log buffer', () => {
  it('keeps the lines in order, and replaces only chunks with new lines', () => {
    const buffer = new LogBuffer();
    buffer.append(lines(0, 450));
    const before = buffer.chunks;
    buffer.append(lines(450, 460));
    expect(textOf(buffer)).toEqual(lines(0, 460).map(({ text }) => text));
    expect(buffer.chunks.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(buffer.chunks[0]).toBe(before[0]);
    expect(buffer.chunks[2]).not.toBe(before[2]);
    // Lines that arrive later do not change an earlier snapshot of the chunks.
    expect(before[2]?.lines).toHaveLength(50);
  });

  it('drops the oldest lines, and counts them', () => {
    const buffer = new LogBuffer({ maxLines: 1_000, maxCharacters: 1_000_000 });
    for (let at = 0; at < 100_000; at += 100) buffer.append(lines(at, at + 100));
    expect(buffer.lineCount).toBeLessThanOrEqual(1_000);
    expect(buffer.lineCount + buffer.dropped).toBe(100_000);
    expect(textOf(buffer).at(-1)).toBe('line 99999');
    expect(textOf(buffer)[0]).toBe(`line ${buffer.dropped}`);
  });

  it('limits the number of characters as well', () => {
    const buffer = new LogBuffer({ maxLines: 100_000, maxCharacters: 50_000 });
    buffer.append(Array.from({ length: 2_000 }, () => ({ time: '', text: 'x'.repeat(100) })));
    expect(buffer.lineCount * 100).toBeLessThanOrEqual(50_000);
    expect(buffer.lineCount).toBeGreaterThan(200);
  });

  it('is empty after a clear, and new chunks get new ids', () => {
    const buffer = new LogBuffer();
    buffer.append(lines(0, 3));
    const id = buffer.chunks[0]?.id;
    buffer.clear();
    expect([buffer.chunks, buffer.lineCount, buffer.dropped]).toEqual([[], 0, 0]);
    buffer.append(lines(0, 3));
    expect(buffer.chunks[0]?.id).not.toBe(id);
  });
});
