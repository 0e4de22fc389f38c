import { BOOL, listOf, parameter } from '../cel-type.ts';
import { equalValues } from '../equality.ts';
import type { Meter } from '../meter.ts';
import { type Overload, overload, signature } from '../overload.ts';
import type { CelList, CelValue } from '../value.ts';

const T = parameter('T');
const LISTS = [listOf(T), listOf(T)] as const;

type Two = readonly [CelList, CelList];

/** The CEL functions that use lists as sets: the order of elements and duplicates do not matter. */
export const sets: readonly Overload[] = [
  overload('sets.contains', 'list_sets_contains_list', signature(LISTS, BOOL), ([list, part]: Two, { meter }) =>
    hasAll(list, part, meter),
  ),
  overload(
    'sets.equivalent',
    'list_sets_equivalent_list',
    signature(LISTS, BOOL),
    ([left, right]: Two, { meter }) => hasAll(left, right, meter) && hasAll(right, left, meter),
  ),
  overload('sets.intersects', 'list_sets_intersects_list', signature(LISTS, BOOL), ([left, right]: Two, { meter }) => {
    for (const one of left) if (has(right, one, meter)) return true;
    return false;
  }),
];

function has(list: CelList, item: CelValue, meter: Meter): boolean {
  for (const one of list) {
    meter.work(1);
    if (equalValues(one, item, meter)) return true;
  }
  return false;
}

function hasAll(list: CelList, part: CelList, meter: Meter): boolean {
  for (const one of part) if (!has(list, one, meter)) return false;
  return true;
}
