import type { Meter } from './meter.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeName,
  CelUint,
  type CelValue,
  typeNameOf,
} from './value.ts';

/** CEL's equality of two values: numbers are compared by value, and values of different types are unequal. */
export function equalValues(left: CelValue, right: CelValue, meter: Meter): boolean {
  if (typeof left === 'string') {
    if (typeof right !== 'string') return false;
    meter.work(left.length >> 6);
    return left === right;
  }
  if (isNumeric(left)) return isNumeric(right) && compareNumbers(left, right) === 0;
  if (left === null || typeof left === 'boolean') return left === right;
  if (left instanceof CelList) return right instanceof CelList && equalLists(left, right, meter);
  if (left instanceof CelMap) return right instanceof CelMap && equalMaps(left, right, meter);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right) === 0;
  if (left instanceof CelTimestamp) return right instanceof CelTimestamp && left.nanos === right.nanos;
  if (left instanceof CelDuration) return right instanceof CelDuration && left.nanos === right.nanos;
  if (left instanceof CelTypeName) return right instanceof CelTypeName && left.name === right.name;
  if (left instanceof CelOptional) {
    if (!(right instanceof CelOptional)) return false;
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return equalValues(left.value, right.value, meter);
  }
  return right instanceof CelOpaque && left.typeName === right.typeName && left.equals(right);
}

function equalLists(left: CelList, right: CelList, meter: Meter): boolean {
  if (left.size !== right.size) return false;
  if (left.equals !== undefined) return left.equals(right, meter);
  if (right.equals !== undefined) return right.equals(left, meter);
  for (let index = 0; index < left.size; index++) {
    meter.work(1);
    if (!equalValues(left.at(index), right.at(index), meter)) return false;
  }
  return true;
}

function equalMaps(left: CelMap, right: CelMap, meter: Meter): boolean {
  if (left.size !== right.size || typeNameOf(left) !== typeNameOf(right)) return false;
  if (left.equals !== undefined) return left.equals(right, meter);
  for (const key of left.keys()) {
    meter.work(1);
    const mine = left.find(key);
    const other = right.find(key);
    if (mine === undefined || other === undefined || !equalValues(mine, other, meter)) return false;
  }
  return true;
}

export type CelNumber = bigint | number | CelUint;

export function isNumeric(value: CelValue): value is CelNumber {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint;
}

/**
 * Returns -1, 0 or 1, or NaN if one of the numbers is NaN. JavaScript's `<` compares a bigint with a number exactly.
 */
export function compareNumbers(left: CelNumber, right: CelNumber): number {
  const a = left instanceof CelUint ? left.value : left;
  const b = right instanceof CelUint ? right.value : right;
  if (a < b) return -1;
  if (a > b) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: only this operator compares a bigint with a number by value.
  return a == b ? 0 : Number.NaN;
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const difference = (left[index] as number) - (right[index] as number);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}

/**
 * Compares two strings by code points, the order of their UTF-8 encodings. JavaScript compares UTF-16 units, which
 * sorts surrogates before U+E000.
 */
export function compareStrings(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const high = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
    return high(a) < high(b) ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}
