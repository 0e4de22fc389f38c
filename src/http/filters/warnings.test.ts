import { describe, expect, it } from 'vitest';
import { defaultWarningLimit as limit, warningHeaders } from './warnings.ts';

describe('Warning headers (HDR-03)', () => {
  it('contain each text once, quoted, without control characters', () => {
    expect(warningHeaders(['a "b" \\ c', 'x\r\ny', 'x\r\ny'], limit)).toEqual([
      '299 - "a \\"b\\" \\\\ c"',
      '299 - "xy"',
    ]);
  });

  it('contain other alphabets as UTF-8', () => {
    const [header = ''] = warningHeaders(['größe ✓'], limit);
    expect(Buffer.from(header, 'latin1').toString('utf8')).toBe('299 - "größe ✓"');
    expect(/^[\x20-\xff]*$/.test(header)).toBe(true);
  });

  it('are truncated to 256 characters if they exceed 4096 in total, and the rest is dropped', () => {
    const long = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(3, '0')}${'x'.repeat(600)}`);
    const headers = warningHeaders(long, limit);
    expect(headers[0]).toHaveLength('299 - ""'.length + 256);
    expect(headers.join('').length).toBeLessThanOrEqual(4096);
    expect(headers.length).toBeLessThan(30);
    expect(warningHeaders(['x'.repeat(1000)], limit)[0]).toHaveLength('299 - ""'.length + 1000);
  });
});

describe('many warnings', () => {
  it.each([5, limit])('are cut to %i, and the last one says how many are missing', (most) => {
    const texts = Array.from({ length: most + 15 }, (_, index) => `warning ${index}`);
    const headers = warningHeaders(texts, most);
    expect(headers).toHaveLength(most);
    expect(headers.slice(-2)).toEqual([`299 - "warning ${most - 2}"`, '299 - "16 more warnings are not shown"']);
    expect(warningHeaders(texts.slice(0, most), most)).toHaveLength(most);
  });
});
