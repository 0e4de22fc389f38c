import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
} from '../cel-type.ts';
import { type CelNumber, compareBytes, compareNumbers, compareStrings, equalValues } from '../equality.ts';
import { EvaluationError } from '../meter.ts';
import { type Overload, overload, signature } from '../overload.ts';
import {
  type CelDuration,
  type CelList,
  type CelMap,
  CelOptional,
  type CelTimestamp,
  CelUint,
  type CelValue,
  ConcatenatedList,
  type PlainMap,
} from '../value.ts';
import { checkedDuration, checkedInt, checkedTimestamp, checkedUint } from './ranges.ts';

const A = parameter('A');
const B = parameter('B');
const MAP = mapOf(A, B);

type Pair<T> = readonly [T, T];

/**
 * The operators, under the function names that the parser uses for them. `&&`, `||` and `?:` are listed only for the
 * type check, because the evaluator implements them itself.
 */
export const operators: readonly Overload[] = [
  overload('_&&_', 'logical_and', signature([BOOL, BOOL], BOOL), unreachable),
  overload('_||_', 'logical_or', signature([BOOL, BOOL], BOOL), unreachable),
  overload('_?_:_', 'conditional', signature([BOOL, A, A], A), unreachable),
  overload('@not_strictly_false', 'not_strictly_false', signature([BOOL], BOOL), unreachable),
  overload('!_', 'logical_not', signature([BOOL], BOOL), ([value]: readonly [boolean]) => !value),
  overload('-_', 'negate_int64', signature([INT], INT), ([value]: readonly [bigint]) => checkedInt(-value)),
  overload('-_', 'negate_double', signature([DOUBLE], DOUBLE), ([value]: readonly [number]) => -value),
  overload('_==_', 'equals', signature([A, A], BOOL), ([a, b]: Pair<CelValue>, { meter }) => equalValues(a, b, meter)),
  overload(
    '_!=_',
    'not_equals',
    signature([A, A], BOOL),
    ([a, b]: Pair<CelValue>, { meter }) => !equalValues(a, b, meter),
  ),
  ...ordering('_<_', 'less', (sign) => sign < 0),
  ...ordering('_<=_', 'less_equals', (sign) => sign <= 0),
  ...ordering('_>_', 'greater', (sign) => sign > 0),
  ...ordering('_>=_', 'greater_equals', (sign) => sign >= 0),
  ...arithmetic(),
  overload(
    '@in',
    'in_list',
    signature([A, listOf(A)], BOOL),
    ([item, list]: readonly [CelValue, CelList], { meter }) => {
      for (let index = 0; index < list.size; index++) {
        meter.work(1);
        if (equalValues(list.at(index), item, meter)) return true;
      }
      return false;
    },
  ),
  overload(
    '@in',
    'in_map',
    signature([A, MAP], BOOL),
    ([key, map]: readonly [CelValue, CelMap]) => map.find(key) !== undefined,
  ),
  ...indexing(),
  overload(
    'cel.@mapInsert',
    'map_insert',
    signature([MAP, A, B], MAP),
    ([map, key, value]: readonly [PlainMap, CelValue, CelValue]) => {
      map.insert(key, value);
      return map;
    },
  ),
  overload(
    'cel.@mapInsert',
    'map_insert_map',
    signature([MAP, MAP], MAP),
    ([map, more]: readonly [PlainMap, CelMap]) => {
      for (const key of more.keys()) map.insert(key, more.find(key) as CelValue);
      return map;
    },
  ),
];

function unreachable(): never {
  throw new EvaluationError('no such overload');
}

function ordering(name: string, id: string, holds: (sign: number) => boolean): Overload[] {
  const numbers = ([a, b]: Pair<CelNumber>): boolean => holds(compareNumbers(a, b));
  const numeric: readonly (readonly [string, CelType])[] = [
    ['int64', INT],
    ['uint64', UINT],
    ['double', DOUBLE],
  ];
  return [
    overload(name, `${id}_bool`, signature([BOOL, BOOL], BOOL), ([a, b]: Pair<boolean>) =>
      holds(Number(a) - Number(b)),
    ),
    ...numeric.flatMap(([leftName, left]) =>
      numeric.map(([rightName, right]) =>
        overload(
          name,
          left === right ? `${id}_${leftName}` : `${id}_${leftName}_${rightName}`,
          signature([left, right], BOOL),
          numbers,
        ),
      ),
    ),
    overload(name, `${id}_string`, signature([STRING, STRING], BOOL), ([a, b]: Pair<string>) =>
      holds(compareStrings(a, b)),
    ),
    overload(name, `${id}_bytes`, signature([BYTES, BYTES], BOOL), ([a, b]: Pair<Uint8Array>) =>
      holds(compareBytes(a, b)),
    ),
    overload(name, `${id}_timestamp`, signature([TIMESTAMP, TIMESTAMP], BOOL), ([a, b]: Pair<CelTimestamp>) =>
      holds(compareNumbers(a.nanos, b.nanos)),
    ),
    overload(name, `${id}_duration`, signature([DURATION, DURATION], BOOL), ([a, b]: Pair<CelDuration>) =>
      holds(compareNumbers(a.nanos, b.nanos)),
    ),
  ];
}

function arithmetic(): Overload[] {
  return [...numberArithmetic(), ...concatenation(), ...timeArithmetic()];
}

function numberOverloads(
  name: string,
  id: string,
  int: (a: bigint, b: bigint) => bigint,
  double: ((a: number, b: number) => number) | undefined,
): Overload[] {
  return [
    overload(name, `${id}_int64`, signature([INT, INT], INT), ([a, b]: Pair<bigint>) => checkedInt(int(a, b))),
    overload(name, `${id}_uint64`, signature([UINT, UINT], UINT), ([a, b]: Pair<CelUint>) =>
      checkedUint(int(a.value, b.value)),
    ),
    ...(double === undefined
      ? []
      : [overload(name, `${id}_double`, signature([DOUBLE, DOUBLE], DOUBLE), ([a, b]: Pair<number>) => double(a, b))]),
  ];
}

function numberArithmetic(): Overload[] {
  return [
    ...numberOverloads(
      '_+_',
      'add',
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    ...numberOverloads(
      '_-_',
      'subtract',
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    ...numberOverloads(
      '_*_',
      'multiply',
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    ...numberOverloads(
      '_/_',
      'divide',
      (a, b) => {
        if (b === 0n) throw new EvaluationError('division by zero');
        return a / b;
      },
      (a, b) => a / b,
    ),
    ...numberOverloads(
      '_%_',
      'modulo',
      (a, b) => {
        if (b === 0n) throw new EvaluationError('modulus by zero');
        return a % b;
      },
      undefined,
    ),
  ];
}

function concatenation(): Overload[] {
  return [
    overload('_+_', 'add_string', signature([STRING, STRING], STRING), ([a, b]: Pair<string>) => a + b),
    overload('_+_', 'add_bytes', signature([BYTES, BYTES], BYTES), ([a, b]: Pair<Uint8Array>) => {
      const joined = new Uint8Array(a.length + b.length);
      joined.set(a);
      joined.set(b, a.length);
      return joined;
    }),
    overload('_+_', 'add_list', signature([listOf(A), listOf(A)], listOf(A)), ([a, b]: Pair<CelList>, { meter }) =>
      a.plus === undefined ? new ConcatenatedList(a, b) : a.plus(b, meter),
    ),
  ];
}

function timeArithmetic(): Overload[] {
  return [
    overload(
      '_+_',
      'add_timestamp_duration',
      signature([TIMESTAMP, DURATION], TIMESTAMP),
      ([a, b]: readonly [CelTimestamp, CelDuration]) => checkedTimestamp(a.nanos + b.nanos),
    ),
    overload(
      '_+_',
      'add_duration_timestamp',
      signature([DURATION, TIMESTAMP], TIMESTAMP),
      ([a, b]: readonly [CelDuration, CelTimestamp]) => checkedTimestamp(a.nanos + b.nanos),
    ),
    overload('_+_', 'add_duration_duration', signature([DURATION, DURATION], DURATION), ([a, b]: Pair<CelDuration>) =>
      checkedDuration(a.nanos + b.nanos),
    ),
    overload(
      '_-_',
      'subtract_timestamp_timestamp',
      signature([TIMESTAMP, TIMESTAMP], DURATION),
      ([a, b]: Pair<CelTimestamp>) => checkedDuration(a.nanos - b.nanos),
    ),
    overload(
      '_-_',
      'subtract_timestamp_duration',
      signature([TIMESTAMP, DURATION], TIMESTAMP),
      ([a, b]: readonly [CelTimestamp, CelDuration]) => checkedTimestamp(a.nanos - b.nanos),
    ),
    overload(
      '_-_',
      'subtract_duration_duration',
      signature([DURATION, DURATION], DURATION),
      ([a, b]: Pair<CelDuration>) => checkedDuration(a.nanos - b.nanos),
    ),
  ];
}

function elementAt(list: CelList, index: bigint): CelValue | undefined {
  return index >= 0n && index < BigInt(list.size) ? list.at(Number(index)) : undefined;
}

function element([list, index]: readonly [CelList, bigint]): CelValue {
  const found = elementAt(list, index);
  if (found === undefined) throw new EvaluationError(`index out of bounds: ${index}`);
  return found;
}

function member([map, key]: readonly [CelMap, CelValue]): CelValue {
  const found = map.find(key);
  if (found === undefined)
    throw new EvaluationError(`no such key: ${key instanceof CelUint ? key.value : String(key)}`);
  return found;
}

function indexing(): Overload[] {
  const optional = (found: CelValue | undefined): CelOptional =>
    found === undefined ? CelOptional.none : CelOptional.of(found);
  const maybeElement = ([list, index]: readonly [CelList, bigint]): CelOptional => optional(elementAt(list, index));
  const maybeMember = ([map, key]: readonly [CelMap, CelValue]): CelOptional => optional(map.find(key));
  const inside =
    <C extends CelValue, K extends CelValue>(lookup: (args: readonly [C, K]) => CelOptional) =>
    ([of, key]: readonly [CelOptional, K]): CelOptional =>
      of.value === undefined ? CelOptional.none : lookup([of.value as C, key]);
  const maybeList = optionalOf(listOf(A));
  const maybeMap = optionalOf(MAP);
  return [
    overload('_[_]', 'index_list', signature([listOf(A), INT], A), element),
    overload('_[_]', 'index_map', signature([MAP, A], B), member),
    overload('_[_]', 'optional_list_index_int', signature([maybeList, INT], optionalOf(A)), inside(maybeElement)),
    overload('_[_]', 'optional_map_index_value', signature([maybeMap, A], optionalOf(B)), inside(maybeMember)),
    overload('_[?_]', 'list_optindex_optional_int', signature([listOf(A), INT], optionalOf(A)), maybeElement),
    overload(
      '_[?_]',
      'optional_list_optindex_optional_int',
      signature([maybeList, INT], optionalOf(A)),
      inside(maybeElement),
    ),
    overload('_[?_]', 'map_optindex_optional_value', signature([MAP, A], optionalOf(B)), maybeMember),
    overload(
      '_[?_]',
      'optional_map_optindex_optional_value',
      signature([maybeMap, A], optionalOf(B)),
      inside(maybeMember),
    ),
    overload('_?._', 'select_optional_field', signature([DYN, STRING], optionalOf(DYN)), unreachable),
  ];
}
