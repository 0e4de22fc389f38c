/**
 * A Kubernetes quantity: a decimal number with a suffix (`100m`, `2k`, `1.5Gi`, `1e3`). Stored exactly, in billionths.
 * Finer values are rounded away from zero.
 */
export interface Quantity {
  readonly billionths: bigint;
  /** The suffix family that the quantity was written in, and is printed in. */
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

/** The schema format of a member that is a quantity. Its type is string. */
export const quantityFormat = 'quantity';

/** The text is not a quantity. The message is Kubernetes' own. */
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
/** The largest quantity that Go represents. Larger quantities with binary suffixes are capped to it. */
const maxBillionths = (2n ** 63n - 1n) * unit;
/** Limit on the number of digits, because each costs time. */
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
  // Exponents beyond these give the largest or the smallest distinguishable value.
  if (exponent > maxLength) return maxBillionths;
  if (exponent < -maxLength * 2) return 1n;
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}

/** The canonical form: without a fraction, with the largest possible suffix. */
export function formatQuantity({ billionths, format }: Quantity): string {
  const magnitude = billionths < 0n ? -billionths : billionths;
  const sign = billionths < 0n ? '-' : '';
  if (magnitude === 0n) return '0';
  // Values below the smallest binary suffix, and fractions, use the decimal form.
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
  // Kubernetes tests thousandths, rounded up.
  const thousandths = (billionths + (billionths > 0n ? 999_999n : 0n)) / 1_000_000n;
  return thousandths % 1000n === 0n;
}

export function quantityOfCount(count: number): Quantity {
  return { billionths: BigInt(count) * unit, format: 'DecimalSI' };
}
