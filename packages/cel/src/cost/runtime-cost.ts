import { codePointCount } from '../library/code-points.ts';
import type { Meter } from '../meter.ts';
import type { Overload } from '../overload.ts';
import { CelList, CelMap, CelOpaque, CelOptional, type CelValue } from '../value.ts';

/** The cost of reading one character of a string, in Kubernetes' cost units. */
const PER_CHARACTER = 0.1;
/** The cost of one character of a regular expression, in Kubernetes' cost units. */
const PER_PATTERN_CHARACTER = 0.25;

/**
 * Returns the actual cost of a call by Kubernetes' rules, so that an expression exceeds its cost limit here exactly
 * when it exceeds the limit in Kubernetes.
 */
export function callCost(called: Overload, args: readonly CelValue[], result: CelValue, meter: Meter): number {
  const call: Called = { args, result, id: called.id, size: (value) => sizeOf(value, meter) };
  return BY_NAME.get(called.name)?.(call) ?? BY_ID.get(called.id)?.(call) ?? 1;
}

/** Returns the cost of a call whose overload was unknown until run time. Most of these calls cost one unit. */
export function dynamicCallCost(called: Overload, args: readonly CelValue[], result: CelValue, meter: Meter): number {
  const call: Called = { args, result, id: called.id, size: (value) => sizeOf(value, meter) };
  return BY_NAME.get(called.name)?.(call) ?? 1;
}

interface Called {
  readonly args: readonly CelValue[];
  readonly result: CelValue;
  readonly id: string;
  size(value: CelValue | undefined): number;
}
type CostOf = (call: Called) => number | undefined;

/** Returns the number of characters, bytes or elements of a value; 1 for a value that has no size, such as a number. */
function sizeOf(value: CelValue | undefined, meter: Meter): number {
  if (typeof value === 'string') {
    meter.work(value.length >> 4);
    return codePointCount(value);
  }
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value, meter);
  if (value instanceof CelOpaque) return value.size ?? 1;
  return 1;
}

/** Returns the cost of reading a value and everything it contains. */
function traversal(value: CelValue): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * PER_CHARACTER);
  if (value instanceof Uint8Array) return Math.trunc(value.length * PER_CHARACTER);
  let cost = 0;
  if (value instanceof CelList) {
    for (const one of value) cost += traversal(one);
    return cost;
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traversal(key) + traversal(value.find(key) as CelValue);
    return cost;
  }
  return 1;
}

function characters(size: number, times = 1): number {
  return Math.ceil(size * times * PER_CHARACTER);
}

function pattern(text: number, size: number): number {
  return Math.ceil((1 + text) * PER_CHARACTER) * Math.ceil(size * PER_PATTERN_CHARACTER);
}

const firstOnce: CostOf = ({ args, size }) => characters(size(args[0]));
const firstTwice: CostOf = ({ args, size }) => characters(size(args[0]), 2);
const matched: CostOf = ({ args, size }) => pattern(size(args[0]), size(args[1]));
const wholeList: CostOf = ({ args }) => traversal(args[0] as CelValue);

function each(names: readonly string[], cost: CostOf): (readonly [string, CostOf])[] {
  return names.map((name) => [name, cost]);
}

const BY_NAME: ReadonlyMap<string, CostOf> = new Map<string, CostOf>([
  ['check', () => 350_000],
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], wholeList),
  ...each(['url', 'jsonpatch.escapeKey', 'lowerAscii', 'upperAscii', 'substring', 'trim'], firstOnce),
  ...each(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], firstOnce),
  ...each(['replace', 'split', 'ip.isCanonical'], firstTwice),
  ['join', ({ result, size }) => characters(size(result), 2)],
  ...each(['find', 'findAll', 'validate'], ({ args: [first, second], size, id }) =>
    id === 'format-validate' ? pattern(size(second), size(first)) : pattern(size(first), size(second)),
  ),
  ['ip', ({ args, size, id }) => (id === 'cidr_ip' ? 1 : characters(size(args[0])))],
  [
    'containsIP',
    ({ args: [net, ip], size, id }) =>
      characters(size(net), 2) + (id === 'cidr_contains_ip_string' ? characters(size(ip)) : 0),
  ],
  [
    'containsCIDR',
    ({ args: [net, other], size, id }) =>
      characters(size(net), 2) +
      characters(size(net)) +
      1 +
      (id === 'cidr_contains_cidr_string' ? characters(size(other)) : 0),
  ],
  ...each(['fieldSelector', 'labelSelector'], ({ args, size }) => selectorCost(size(args[1]))),
  ['_==_', ({ args }) => (args[0] instanceof CelOpaque ? 1 : undefined)],
]);

/**
 * The cost of parsing a selector. Kubernetes assumes that each requirement takes two characters and allocates a list
 * and a struct.
 */
function selectorCost(length: number): number {
  return 10 + Math.ceil(length * PER_CHARACTER) + Math.ceil(length * 0.5) * 50;
}

const shorter: CostOf = ({ args: [left, right], size }) => {
  // A comparison costs as much as the shorter string, so only the shorter one is measured.
  if (typeof left === 'string' && typeof right === 'string') {
    return characters(size(left.length < right.length ? left : right));
  }
  return characters(Math.min(size(left), size(right)));
};
const both: CostOf = ({ args: [left, right], size }) => characters(size(left) + size(right));

function sets(times: number): CostOf {
  return ({ args: [left, right], size }) => 1 + Math.trunc(size(left) * size(right) * times);
}

/** The cost of creating a list: 1 for the call, 10 for the list, and 1 per element. */
function made(elements: number): number {
  return Math.trunc(elements) + 11;
}

const madeList: CostOf = ({ result, size }) => made(size(result));
const flattened: CostOf = ({ args: [list, depth], size }) =>
  made(size(list) * (depth === undefined ? 1 : Number(depth)));

/** The cost of comparing every element of a list with every other element. */
function compared(list: CelValue | undefined): number {
  if (!(list instanceof CelList) || list.size === 0) return made(0);
  const first = list.at(0);
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + PER_CHARACTER : 2;
  return made(list.size * list.size * factor);
}

const BY_ID: ReadonlyMap<string, CostOf> = new Map<string, CostOf>([
  ...each(['starts_with_string', 'ends_with_string', 'string_to_bytes', 'bytes_to_string', 'strings_quote'], firstOnce),
  ['string_format', firstOnce],
  ['in_list', ({ args, size }) => size(args[1])],
  ...each(['equals', 'not_equals'], shorter),
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id) =>
    each([`${id}_string`, `${id}_bytes`], shorter),
  ),
  ...each(['add_string', 'add_bytes'], both),
  ...each(['matches', 'matches_string'], matched),
  ['contains_string', ({ args: [text, part], size }) => characters(size(text)) * characters(size(part))],
  ...each(['list_sets_contains_list', 'list_sets_intersects_list'], sets(1)),
  ['list_sets_equivalent_list', sets(2)],
  ...each(['list_slice', 'lists_range', 'list_reverse'], madeList),
  ...each(['list_flatten', 'list_flatten_int'], flattened),
  ...each(['list_distinct', 'list_sort'], ({ args }) => compared(args[0])),
  ['list_sort_by_keys', ({ args }) => compared(args[1])],
]);
