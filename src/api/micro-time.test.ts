import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicroTime } from './micro-time.ts';

describe('a time to the microsecond (META-14)', () => {
  it.each([
    ['2026-08-20T10:00:00.123456Z', '2026-08-20T10:00:00.123456Z'],
    ['2026-08-20T9:00:00.000001Z', '2026-08-20T09:00:00.000001Z'],
    ['2026-02-28T23:00:00,123456+02:30', '2026-02-28T20:30:00.123456Z'],
    ['2024-02-29T23:30:00.999999-00:30', '2024-03-01T00:00:00.999999Z'],
    ['0001-01-01T00:00:00.000000Z', undefined],
  ])('reads %s', (text, printed) => {
    expect(formatMicroTime(text)).toBe(printed);
  });

  const layout = '"2006-01-02T15:04:05.000000Z07:00"';

  it.each([
    ['soon', ` as ${layout}: cannot parse "soon" as "2006"`],
    ['2026-08-20T10:00:00Z', ` as ${layout}: cannot parse "Z" as ".000000"`],
    ['2026-08-20T10:00:00.123Z', ` as ${layout}: cannot parse ".123Z" as ".000000"`],
    ['2026-08-20T10:00:00.1234567Z', ` as ${layout}: cannot parse "7Z" as "Z07:00"`],
    ['2026-08-20t10:00:00.123456Z', ` as ${layout}: cannot parse "t10:00:00.123456Z" as "T"`],
    ['2026-08-20T10:00:00.123456Zx', ': extra text: "x"'],
    ['2026-13-20T10:00:00.123456Z', ': month out of range'],
    ['2026-02-29T10:00:00.123456Z', ': day out of range'],
    ['2026-02-28T24:00:00.123456Z', ': hour out of range'],
    ['2026-02-28T23:60:00.123456Z', ': minute out of range'],
    ['2026-02-28T23:00:60.123456Z', ': second out of range'],
    ['9999-12-31T23:59:59.999999-01:00', ': year out of range'],
  ])('rejects %s with the error of Go', (text, detail) => {
    expect(() => formatMicroTime(text)).toThrow(new Error(`parsing time "${text}"${detail}`));
  });

  it('leaves printed times unchanged, and prints the same instant for any offset', () => {
    const moment = fc.integer({ min: Date.UTC(1, 1), max: Date.UTC(9998, 1) });
    fc.assert(
      fc.property(moment, fc.nat(999_999), fc.integer({ min: -1440, max: 1440 }), (seconds, micros, offset) => {
        const fraction = String(micros).padStart(6, '0');
        const local = new Date(seconds + offset * 60_000).toISOString().slice(0, 19);
        const clock = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) => String(n).padStart(2, '0'));
        const printed = formatMicroTime(`${local}.${fraction}${offset < 0 ? '-' : '+'}${clock.join(':')}`) ?? '';
        expect(printed).toBe(`${new Date(seconds).toISOString().slice(0, 19)}.${fraction}Z`);
        expect(formatMicroTime(printed)).toBe(printed);
      }),
    );
  });
});
