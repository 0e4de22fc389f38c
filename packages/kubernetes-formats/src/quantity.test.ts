import { describe, expect, it } from 'vitest';
import { canonicalQuantity, formatQuantity, isWholeQuantity, parseQuantity, QuantityError } from './quantity.ts';

/**
 * Results of Kubernetes' own code: for each quantity, the canonical form and whether the quantity counts as a whole
 * number.
 */
const known: readonly (readonly [string, string, boolean])[] = [
  ['1', '1', true],
  ['10', '10', true],
  ['1000', '1k', true],
  ['1500m', '1500m', false],
  ['1.5Gi', '1536Mi', true],
  ['1e3', '1e3', true],
  ['1E', '1E', true],
  ['0.5', '500m', false],
  ['0.0000000001', '1n', false],
  ['123456789.1', '123456789100m', false],
  ['1Ki', '1Ki', true],
  ['1023Ki', '1023Ki', true],
  ['1024Ki', '1Mi', true],
  ['512', '512', true],
  ['1.5Ki', '1536', true],
  ['0.5Ki', '512', true],
  ['0.1Ki', '102400m', false],
  ['100Mi', '100Mi', true],
  ['1e-3', '1e-3', false],
  ['1e4', '10e3', true],
  ['12e2', '1200', true],
  ['-1', '-1', true],
  ['-1500m', '-1500m', false],
  ['1k', '1k', true],
  ['1000k', '1M', true],
  ['9223372036854775807', '9223372036854775807', true],
  ['9223372036854775808', '9223372036854775808', true],
  ['100E', '100E', true],
  ['8Ei', '9223372036854775807', true],
  ['.5', '500m', false],
  ['1.5e3', '1500', true],
  ['0', '0', true],
  ['00', '0', true],
  ['0Ki', '0', true],
  ['1n', '1n', false],
  ['1u', '1u', false],
  ['1000n', '1u', false],
  ['1234567890123456789n', '1234567890123456789n', false],
  ['0.1n', '1n', false],
  ['1e-9', '1e-9', false],
  ['1e30', '1e30', true],
  ['123.456Mi', '129452998656m', false],
  ['1.0', '1', true],
  ['e3', '0', true],
  ['Ki', '0', true],
  ['5e2', '500', true],
  ['1e20', '100e18', true],
  ['10e18', '10e18', true],
];

describe('quantities', () => {
  it.each(known)('parses %j and prints %j', (text, canonical, isWhole) => {
    const quantity = parseQuantity(text);
    expect(formatQuantity(quantity)).toBe(canonical);
    expect(isWholeQuantity(quantity)).toBe(isWhole);
    expect(formatQuantity(parseQuantity(canonical))).toBe(canonical);
  });

  it.each(['', '1x', '1.2.3', '1 ', 'x', '1'.repeat(200)])('rejects %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(QuantityError);
    expect(() => parseQuantity(text)).toThrow(/^quantities must match/);
  });

  it.each(['1e', '1ki', '1K', '1e99999999999'])('rejects the suffix of %j', (text) => {
    expect(() => parseQuantity(text)).toThrow("unable to parse quantity's suffix");
  });

  it('rejects a quantity whose canonical text is too long to be parsed again', () => {
    const digits = '1'.repeat(123);
    expect(canonicalQuantity(`${digits}e117`)).toBe(`${digits}e117`);
    expect(() => canonicalQuantity(`${digits}1e119`)).toThrow(/^quantities must match/);
  });

  it('compares equal amounts in different notations as equal', () => {
    expect(parseQuantity('1Ki').billionths).toBe(parseQuantity('1024').billionths);
    expect(parseQuantity('1k').billionths < parseQuantity('1Ki').billionths).toBe(true);
  });
});
