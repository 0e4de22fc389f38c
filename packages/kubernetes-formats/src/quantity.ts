/**
 * A Kubernetes quantity: a decimal number with a suffix (`100m`, `2k`, `1.5Gi`, `1e3`). It is stored as an exact number
 * of billionths. Smaller fractions are rounded away from zero.
 */
export interface Quantity {
  readonly billionths: bigint;
  /** The suffix family in which the quantity was written, and in which it is printed. */
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

/** The schema `format` of strings that are quantities. */
export const quantityFormat = 'quantity';

/** Thrown for text that is not a quantity. The message is the same as in Kubernetes. */
export class QuantityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QuantityError';
  }
}

const form = /^([+-]?)([0-9.]*)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const notQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const unit = 1_000_000_000n;
/** The largest quantity that Go represents. A larger quantity with a binary suffix is reduced to this value. */
const maxBillionths = (2n ** 63n - 1n) * unit;
/** Maximum number of characters, because the parsing time grows with the number of digits. */
const maxLength = 128;

export function parseQuantity(text: string): Quantity {
  const parts = text === '' || text.length > maxLength ? null : form.exec(text);
  if (parts === null) throw new QuantityError(notQuantity);
  const [, sign = '', digits = '', suffix = ''] = parts;
  const [whole = '', fraction = '', ...more] = digits.split('.');
  if (more.length > 0 || digits === '.') throw new QuantityError(notQuantity);
  const scale = suffixScale(suffix);
  if (scale === undefined) throw new QuantityError("unable to parse quantity's suffix");
  const exact = BigInt(whole + fraction) * scale.factor;
  const magnitude = roundedUp(exact, scale.exponent - fraction.length + 9);
  const capped = scale.format === 'BinarySI' && magnitude > maxBillionths ? maxBillionths : magnitude;
  return { billionths: sign === '-' ? -capped : capped, format: scale.format };
}

interface Scale {
  readonly exponent: number;
  readonly factor: bigint;
  readonly format: Quantity['format'];
}

function suffixScale(suffix: string): Scale | undefined {
  if (Object.hasOwn(decimalSuffixes, suffix)) {
    return { exponent: decimalSuffixes[suffix] ?? 0, factor: 1n, format: 'DecimalSI' };
  }
  const power = binarySuffixes.indexOf(suffix as (typeof binarySuffixes)[number]);
  if (power > 0) return { exponent: 0, factor: 1024n ** BigInt(power), format: 'BinarySI' };
  const exponent = /^[eE]([+-]?[0-9]{1,9})$/.exec(suffix)?.[1];
  return exponent === undefined ? undefined : { exponent: Number(exponent), factor: 1n, format: 'DecimalExponent' };
}

function roundedUp(value: bigint, exponent: number): bigint {
  if (value === 0n) return 0n;
  // Extreme exponents are not computed. A very large exponent gives the largest quantity, and a very small one gives
  // one billionth.
  if (exponent > maxLength) return maxBillionths;
  if (exponent < -maxLength * 2) return 1n;
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}

/** Returns the canonical text: a whole number with the largest possible suffix. */
export function formatQuantity({ billionths, format }: Quantity): string {
  const magnitude = billionths < 0n ? -billionths : billionths;
  const sign = billionths < 0n ? '-' : '';
  if (magnitude === 0n) return '0';
  // Values below the smallest binary suffix (Ki) and fractions are printed with decimal suffixes.
  if (format === 'BinarySI' && magnitude >= 1024n * unit && magnitude % unit === 0n)
    return sign + binaryText(magnitude);
  const largest = format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : 18;
  let number = magnitude;
  let exponent = -9;
  while (number % 1000n === 0n && exponent < largest) {
    number /= 1000n;
    exponent += 3;
  }
  return `${sign}${number}${exponentText(exponent, format)}`;
}

/**
 * Returns the canonical text of a quantity. Throws QuantityError if the canonical text is too long to be parsed again.
 * This can happen because the canonical text in exponential notation can be longer than the given text.
 */
export function canonicalQuantity(text: string): string {
  const canonical = formatQuantity(parseQuantity(text));
  if (canonical.length > maxLength) throw new QuantityError(notQuantity);
  return canonical;
}

function binaryText(magnitude: bigint): string {
  let number = magnitude / unit;
  let power = 0;
  while (number % 1024n === 0n && power < binarySuffixes.length - 1) {
    number /= 1024n;
    power++;
  }
  return `${number}${binarySuffixes[power]}`;
}

function exponentText(exponent: number, format: Quantity['format']): string {
  if (format === 'DecimalExponent') return exponent === 0 ? '' : `e${exponent}`;
  return Object.entries(decimalSuffixes).find(([, value]) => value === exponent)?.[0] ?? '';
}

export function isWholeQuantity({ billionths }: Quantity): boolean {
  // As in Kubernetes, the value is rounded up to thousandths before it is tested.
  const thousandths = (billionths + (billionths > 0n ? 999_999n : 0n)) / 1_000_000n;
  return thousandths % 1000n === 0n;
}

export function quantityOfCount(count: number | bigint): Quantity {
  return { billionths: BigInt(count) * unit, format: 'DecimalSI' };
}
