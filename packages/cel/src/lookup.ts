import { EvaluationError } from './meter.ts';
import type { Overload } from './overload.ts';
import { CelList, CelMap, CelUint, type CelValue, isOfType, typeNameOf } from './value.ts';

/*
 * Lookups at run time: fields, elements, and the overload that fits.
 */

/** The error names functions, but not operators. */
export function noSuchOverload(name = ''): EvaluationError {
  return new EvaluationError(/^[a-zA-Z]/.test(name) ? `no such overload: ${name}` : 'no such overload');
}

/** `undefined` if the field is missing, or if the value is not an object. */
export function fieldOf(value: CelValue, field: string): CelValue | undefined {
  return value instanceof CelMap ? value.find(field) : undefined;
}

/** Converts the index of a list. A list that was dynamic at check time accepts any whole number. */
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
