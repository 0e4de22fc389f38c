import { BOOL, listOf, optionalOf, parameter } from '../cel-type.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  PlainList,
} from '../value.ts';

const V = parameter('V');
const MAYBE = optionalOf(V);

type Maybe = readonly [CelOptional];

/**
 * The functions of optional values. The evaluator implements `or` and `orValue` itself, because it must not evaluate an
 * alternative that is not needed.
 */
export const optionals: readonly Overload[] = [
  overload('optional.of', 'optional_of', signature([V], MAYBE), ([value]: readonly [CelValue]) =>
    CelOptional.of(value),
  ),
  overload('optional.none', 'optional_none', signature([], MAYBE), () => CelOptional.none),
  overload(
    'optional.ofNonZeroValue',
    'optional_ofNonZeroValue',
    signature([V], MAYBE),
    ([value]: readonly [CelValue]) => (isZero(value) ? CelOptional.none : CelOptional.of(value)),
  ),
  method('hasValue', 'optional_hasValue', signature([MAYBE], BOOL), ([maybe]: Maybe) => maybe.value !== undefined),
  method('value', 'optional_value', signature([MAYBE], V), ([maybe]: Maybe) => {
    if (maybe.value === undefined) throw new EvaluationError('optional.none() dereference');
    return maybe.value;
  }),
  method(
    'or',
    'optional_or_optional',
    signature([MAYBE, MAYBE], MAYBE),
    ([maybe, other]: readonly [CelOptional, CelOptional]) => (maybe.value === undefined ? other : maybe),
  ),
  method(
    'orValue',
    'optional_orValue_value',
    signature([MAYBE, V], V),
    ([maybe, other]: readonly [CelOptional, CelValue]) => (maybe.value === undefined ? other : maybe.value),
  ),
  overload('optional.unwrap', 'optional_unwrap', signature([listOf(MAYBE)], listOf(V)), unwrapped),
  method('unwrapOpt', 'optional_unwrapOpt', signature([listOf(MAYBE)], listOf(V)), unwrapped),
];

function unwrapped([list]: readonly [CelList]): CelValue {
  const values: CelValue[] = [];
  for (const one of list) if (one instanceof CelOptional && one.value !== undefined) values.push(one.value);
  return new PlainList(values);
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof CelUint || value instanceof CelDuration)
    return (value instanceof CelUint ? value.value : value.nanos) === 0n;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  return value instanceof CelTimestamp && value.nanos === -62_135_596_800n * 1_000_000_000n;
}
