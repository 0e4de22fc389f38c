import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTimes, displayedText, LineDecoder, maxLineCharacters, parseLogLine } from './log-lines.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the lines of a log', () => {
  it('are the same however the bytes are split', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text)));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(40), { maxLength: 20 }), (lines, cuts) => {
        const all = bytes(lines.map((line) => `${line}\n`).join(''));
        const decoder = new LineDecoder();
        const read: string[] = [];
        let from = 0;
        for (const length of cuts) {
          read.push(...decoder.decode(all.subarray(from, from + length)));
          from = Math.min(all.length, from + length);
        }
        read.push(...decoder.decode(all.subarray(from)), ...decoder.end());
        expect(read).toEqual(lines);
      }),
    );
  });

  it('include the last one without a newline', () => {
    const decoder = new LineDecoder();
    expect(decoder.decode(bytes('a\r\nb'))).toEqual(['a']);
    expect(decoder.end()).toEqual(['b']);
  });

  it('are cut if they are long, and the number of missing characters is shown', () => {
    const decoder = new LineDecoder();
    for (let count = 0; count < 10; count += 1) expect(decoder.decode(bytes('x'.repeat(10_000)))).toEqual([]);
    const [line] = decoder.decode(bytes('\nnext\n'));
    expect(line).toBe(`${'x'.repeat(maxLineCharacters)}… (${100_000 - maxLineCharacters} more characters)`);
    expect(decoder.decode(bytes('short\n'))).toEqual(['short']);
  });

  it('are displayed without colors, and with control characters escaped', () => {
    expect(displayedText('\u001b[31;1mred\u001b[0m and \u001b]0;title\u0007plain\u202e\u0000\tend')).toBe(
      'red and plain\\u202e\\u0000\tend',
    );
  });
});

describe('the time of a line', () => {
  it('is separate from the text', () => {
    const time = '2026-01-02T03:04:05.123456789Z';
    expect(parseLogLine(`${time} up`)).toEqual({ time, text: 'up' });
    expect(parseLogLine(`${time}`)).toEqual({ time, text: '' });
    expect(parseLogLine('no time')).toEqual({ time: '', text: 'no time' });
  });

  it('is compared in nanoseconds, whatever its format is', () => {
    expect(compareTimes('2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.100000001Z')).toBeLessThan(0);
    expect(compareTimes('2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.1000Z')).toBe(0);
    expect(compareTimes('2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00Z')).toBe(0);
    expect(compareTimes('2026-01-01T00:00:01Z', '2026-01-01T00:00:00.999999999Z')).toBeGreaterThan(0);
  });
});
