import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
} from '../cel-type.ts';
import { type CelNumber, compareBytes, compareNumbers, compareStrings, equalValues, isNumeric } from '../equality.ts';
import type { Evaluation } from '../evaluation.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { CelDuration, CelList, CelTimestamp, CelUint, type CelValue, PlainList } from '../value.ts';
import { checkedDuration, checkedInt, checkedUint } from './ranges.ts';

const T = parameter('T');
const LIST = listOf(T);

type One = readonly [CelList];

const COMPARABLE: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const SUMMABLE: readonly (readonly [CelType, CelValue])[] = [
  [INT, 0n],
  [UINT, new CelUint(0n)],
  [DOUBLE, 0],
  [DURATION, new CelDuration(0n)],
];

/** The list functions that Kubernetes adds to CEL, and the functions of CEL's own list extension. */
export const lists: readonly Overload[] = [
  ...COMPARABLE.flatMap((type) => [
    method('isSorted', `list_${type.kind}_is_sorted_bool`, signature([listOf(type)], BOOL), ([list]: One) =>
      isSorted(list),
    ),
    method('max', `list_${type.kind}_max`, signature([listOf(type)], type), ([list]: One) => extreme(list, 'max', 1)),
    method('min', `list_${type.kind}_min`, signature([listOf(type)], type), ([list]: One) => extreme(list, 'min', -1)),
    method('sort', 'list_sort', signature([listOf(type)], listOf(type)), ([list]: One, evaluation) =>
      sorted(list, list, evaluation),
    ),
    method(
      '@sortByAssociatedKeys',
      'list_sort_by_keys',
      signature([LIST, listOf(type)], LIST),
      ([list, keys]: readonly [CelList, CelList], evaluation) => sorted(list, keys, evaluation),
    ),
  ]),
  ...SUMMABLE.map(([type, zero]) =>
    method('sum', `list_${type.kind}_sum`, signature([listOf(type)], type), ([list]: One) => {
      let total = zero;
      for (const one of list) total = added(total, one);
      return total;
    }),
  ),
  method(
    'indexOf',
    'list_a_index_of_int',
    signature([LIST, T], INT),
    ([list, item]: readonly [CelList, CelValue], { meter }) => {
      for (let at = 0; at < list.size; at++) if (equalValues(list.at(at), item, meter)) return BigInt(at);
      return -1n;
    },
  ),
  method(
    'lastIndexOf',
    'list_a_last_index_of_int',
    signature([LIST, T], INT),
    ([list, item]: readonly [CelList, CelValue], { meter }) => {
      for (let at = list.size - 1; at >= 0; at--) if (equalValues(list.at(at), item, meter)) return BigInt(at);
      return -1n;
    },
  ),
  method(
    'slice',
    'list_slice',
    signature([LIST, INT, INT], LIST),
    ([list, from, to]: readonly [CelList, bigint, bigint]) => {
      if (from < 0n || to < 0n)
        throw new EvaluationError(`cannot slice(${from}, ${to}), negative indexes not supported`);
      if (from > to) {
        throw new EvaluationError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
      }
      if (to > BigInt(list.size))
        throw new EvaluationError(`cannot slice(${from}, ${to}), list is length ${list.size}`);
      const items: CelValue[] = [];
      for (let at = Number(from); at < Number(to); at++) items.push(list.at(at));
      return new PlainList(items);
    },
  ),
  method('flatten', 'list_flatten', signature([listOf(LIST)], LIST), ([list]: One, evaluation) =>
    flattened(list, 1, evaluation),
  ),
  method(
    'flatten',
    'list_flatten_int',
    signature([listOf(DYN), INT], listOf(DYN)),
    ([list, depth]: readonly [CelList, bigint], evaluation) => {
      if (depth < 0n) throw new EvaluationError('level must be non-negative');
      return flattened(list, Number(depth), evaluation);
    },
  ),
  method('distinct', 'list_distinct', signature([LIST], LIST), ([list]: One, { meter }) => {
    const kept: CelValue[] = [];
    for (const one of list) if (!kept.some((other) => isSame(other, one, meter))) kept.push(one);
    return new PlainList(kept);
  }),
  method('reverse', 'list_reverse', signature([LIST], LIST), ([list]: One) => new PlainList([...list].reverse())),
  overload('lists.range', 'lists_range', signature([INT], listOf(INT)), ([count]: readonly [bigint], { meter }) => {
    // Count the work before the list is allocated, so that a very long list exceeds the limit before it takes memory.
    meter.work(count > 0n ? Number(count) : 0);
    return new PlainList(Array.from({ length: Math.max(0, Number(count)) }, (_, at) => BigInt(at)));
  }),
];

function isSame(kept: CelValue, one: CelValue, meter: Evaluation['meter']): boolean {
  meter.work(1);
  return equalValues(kept, one, meter);
}

function compare(left: CelValue, right: CelValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left as CelNumber, right as CelNumber);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof CelTimestamp && right instanceof CelTimestamp) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof CelDuration && right instanceof CelDuration) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  throw new EvaluationError('no such overload');
}

function isSorted(list: CelList): boolean {
  for (let at = 1; at < list.size; at++) if (compare(list.at(at - 1), list.at(at)) > 0) return false;
  return true;
}

function extreme(list: CelList, name: string, sign: number): CelValue {
  if (list.size === 0) throw new EvaluationError(`${name} called on empty list`);
  let best = list.at(0);
  for (const one of list) if (compare(one, best) * sign > 0) best = one;
  return best;
}

function added(total: CelValue, one: CelValue): CelValue {
  if (typeof total === 'bigint' && typeof one === 'bigint') return checkedInt(total + one);
  if (typeof total === 'number' && typeof one === 'number') return total + one;
  if (total instanceof CelUint && one instanceof CelUint) return checkedUint(total.value + one.value);
  if (total instanceof CelDuration && one instanceof CelDuration) return checkedDuration(total.nanos + one.nanos);
  throw new EvaluationError('no such overload');
}

function sorted(list: CelList, keys: CelList, { meter }: Evaluation): CelList {
  if (list.size !== keys.size) {
    throw new EvaluationError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  meter.work(list.size * Math.ceil(Math.log2(list.size + 1)) * 20);
  const pairs = Array.from({ length: list.size }, (_, at) => [keys.at(at), list.at(at)] as const);
  return new PlainList(pairs.sort(([left], [right]) => compare(left, right)).map(([, item]) => item));
}

function flattened(list: CelList, depth: number, evaluation: Evaluation): CelList {
  const items: CelValue[] = [];
  for (const one of list) {
    evaluation.meter.work(1);
    if (one instanceof CelList && depth > 0)
      for (const inner of flattened(one, depth - 1, evaluation)) items.push(inner);
    else items.push(one);
  }
  return new PlainList(items);
}
