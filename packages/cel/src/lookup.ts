import { EvaluationError } from './meter.ts';
import type { Overload } from './overload.ts';
import { CelList, CelMap, CelUint, type CelValue, isOfType, typeNameOf } from './value.ts';

/*
 * Functions that the evaluation uses to find fields, list elements and matching overloads.
 */

/** Returns the error for a call without a matching overload. The message names functions, but not operators. */
export function noSuchOverload(name = ''): EvaluationError {
  return new EvaluationError(/^[a-zA-Z]/.test(name) ? `no such overload: ${name}` : 'no such overload');
}

/**
 * Returns a field of an object or map. `undefined` if the field is missing or `value` is neither an object nor a map.
 */
export function fieldOf(value: CelValue, field: string): CelValue | undefined {
  return value instanceof CelMap ? value.find(field) : undefined;
}

/** Converts a list index to an int. Accepts any whole number if the type of the list was unknown at check time. */
export function listIndex(list: CelValue, index: CelValue): CelValue {
  if (!(list instanceof CelList) || typeof index === 'bigint') return index;
  if (index instanceof CelUint) return index.value;
  if (typeof index === 'number' && Number.isInteger(index)) return BigInt(index);
  throw new EvaluationError(`unsupported index type '${typeNameOf(index)}' in list`);
}

export function matchingOverload(overloads: readonly Overload[], args: readonly CelValue[]): Overload | undefined {
  return overloads.find((one) => one.parameters.every((type, index) => isOfType(args[index] as CelValue, type)));
}

export function* entriesOf(range: CelValue, pairs: boolean): Iterable<readonly [CelValue, CelValue]> {
  if (range instanceof CelList) {
    for (let index = 0; index < range.size; index++) {
      const item = range.at(index);
      yield pairs ? [BigInt(index), item] : [item, null];
    }
  } else if (range instanceof CelMap) {
    for (const key of range.keys()) yield [key, pairs ? (range.find(key) as CelValue) : null];
  } else {
    throw noSuchOverload();
  }
}
