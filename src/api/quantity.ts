/**
 * A quantity as Kubernetes writes amounts: a decimal number with a suffix (`100m`, `2k`, `1.5Gi`, `1e3`). Kept exactly,
 * in billionths; what is finer is rounded away from zero.
 */
export interface Quantity {
  readonly billionths: bigint;
  /** In which suffixes it was written, and is written again. */
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

/** Of a member of a schema that is a quantity; its type is string. */
export const quantityFormat = 'quantity';

/** Not a quantity. The message is what Kubernetes says. */
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
/** What Go can count; of what is written in powers of two, more is as much as that. */
const most = (2n ** 63n - 1n) * unit;
/** Nobody means more digits than that; each of them is work. */
const longest = 128;

export function parseQuantity(text: string): Quantity {
  const parts = text === '' || text.length > longest ? null : form.exec(text);
  if (parts === null) throw new QuantityError(notQuantity);
  const [, sign = '', digits = '', suffix = ''] = parts;
  const [whole = '', fraction = '', ...more] = digits.split('.');
  if (more.length > 0 || digits === '.') throw new QuantityError(notQuantity);
  const scale = suffixScale(suffix);
  if (scale === undefined) throw new QuantityError("unable to parse quantity's suffix");
  const exact = BigInt(whole + fraction) * scale.factor;
  const magnitude = roundedUp(exact, scale.exponent - fraction.length + 9);
  const counted = scale.format === 'BinarySI' && magnitude > most ? most : magnitude;
  return { billionths: sign === '-' ? -counted : counted, format: scale.format };
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
  // Beyond these it is more, or less, than anything that is told apart.
  if (exponent > longest) return most;
  if (exponent < -longest * 2) return 1n;
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}

/** The one way to write it: without a fraction, with the largest suffix that allows it. */
export function quantityText({ billionths, format }: Quantity): string {
  const magnitude = billionths < 0n ? -billionths : billionths;
  const sign = billionths < 0n ? '-' : '';
  if (magnitude === 0n) return '0';
  // What is less than the smallest suffix stands for, or no whole number, is clearer without one.
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
  // Kubernetes looks at thousandths, rounded up.
  const thousandths = (billionths + (billionths > 0n ? 999_999n : 0n)) / 1_000_000n;
  return thousandths % 1000n === 0n;
}

export function countQuantity(count: number): Quantity {
  return { billionths: BigInt(count) * unit, format: 'DecimalSI' };
}
