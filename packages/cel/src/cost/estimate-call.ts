import { sameType } from '../assign.ts';
import type { CelType } from '../cel-type.ts';
import type { Expression } from '../expression.ts';
import { exactly, MAX_VALUE, plus, type Span, scaled, times, UNKNOWN_SPAN } from './span.ts';

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
/**
 * The length, in characters, that the estimate assumes for the pattern of every named format (`format.dns1123Label()`).
 */
const LONGEST_FORMAT_PATTERN = 128;

/** A function call whose cost is estimated, with its arguments and the ranges of their sizes. */
export interface EstimatedCall {
  readonly name: string;
  readonly id: string;
  /** The arguments. For a method, the target is the first one. */
  readonly args: readonly Expression[];
  readonly sizes: readonly Span[];
  /** The type and size of the elements if the first argument is a list. */
  readonly element?: { readonly type: CelType; readonly size: Span };
}

export interface CallEstimate {
  /** The cost range of the call itself, without the cost of evaluating its arguments. */
  readonly cost: Span;
  /** The size range of the call's result. */
  readonly size?: Span;
}

/**
 * Estimates the cost of a call by Kubernetes' rules, so that every schema that Kubernetes accepts is accepted here too.
 */
export function estimateCall(call: EstimatedCall): CallEstimate {
  return BY_ID.get(call.id)?.(call) ?? BY_NAME.get(call.name)?.(call) ?? { cost: exactly(1) };
}

type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

function size(call: EstimatedCall, index: number): Span {
  return call.sizes[index] ?? UNKNOWN_SPAN;
}

function each(names: readonly string[], estimate: Estimate): (readonly [string, Estimate])[] {
  return names.map((name) => [name, estimate]);
}

function characters(span: Span, times = 1): Span {
  return scaled(span, times * PER_CHARACTER);
}

const firstOnce: Estimate = (call) => ({ cost: characters(size(call, 0)) });
const firstCopied: Estimate = (call) => ({ cost: characters(size(call, 0)), size: size(call, 0) });

function patternCost(text: Span, pattern: Span): Span {
  return times(characters(plus(text, exactly(1))), scaled(pattern, PER_PATTERN_CHARACTER));
}

const compared: Estimate = (call) => {
  const most = Math.min(size(call, 0).max, size(call, 1).max);
  return { cost: scaled({ min: most > 0 ? 1 : 0, max: most }, PER_CHARACTER) };
};

const matched: Estimate = (call) => ({ cost: patternCost(size(call, 0), size(call, 1)) });

const wholeList: Estimate = (call) => {
  const { element } = call;
  if (element === undefined) return firstOnce(call);
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
  const each = isText ? plus(exactly(1), characters(element.size)) : exactly(1);
  return { cost: times(size(call, 0), each) };
};

function madeList(elements: Span, factor = 1): CallEstimate {
  return { cost: plus(scaled(elements, factor), exactly(11)), size: elements };
}

/** Returns the value of an argument that is a literal integer, otherwise the given default. */
function literalOr(argument: Expression | undefined, otherwise: number): number {
  if (argument?.kind !== 'constant' || typeof argument.value !== 'bigint') return otherwise;
  return Math.max(0, Number(argument.value));
}

function selfCompared(factor: number): Estimate {
  return (call) => madeList(times(size(call, 0), size(call, 0)), factor);
}

function sets(factor: number): Estimate {
  return (call) => ({ cost: plus(scaled(times(size(call, 0), size(call, 1)), factor), exactly(1)) });
}

const contains: Estimate = (call) => ({ cost: times(characters(size(call, 0)), characters(size(call, 1))) });
const added: Estimate = (call) => {
  const sum = plus(size(call, 0), size(call, 1));
  return { cost: call.id === 'add_list' ? exactly(1) : characters(sum), size: sum };
};

const BY_ID: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ...each(['list_sets_contains_list', 'list_sets_intersects_list'], sets(1)),
  ['list_sets_equivalent_list', sets(2)],
  [
    'list_slice',
    (call) => madeList(exactly(Math.max(0, literalOr(call.args[2], size(call, 0).max) - literalOr(call.args[1], 0)))),
  ],
  ['lists_range', (call) => madeList(exactly(literalOr(call.args[0], MAX_VALUE)))],
  ['list_reverse', (call) => madeList(size(call, 0))],
  ['list_flatten', (call) => madeList(size(call, 0))],
  ['list_flatten_int', (call) => madeList(size(call, 0), literalOr(call.args[1], MAX_VALUE))],
  ['list_distinct', selfCompared(2)],
  ['list_sort', (call) => selfCompared(isText(call.element?.type) ? 2 + PER_CHARACTER : 2)(call)],
  ['list_sort_by_keys', (call) => madeList(times(size(call, 1), size(call, 1)), 2 + PER_CHARACTER)],
  ['string_format', firstOnce],
  [
    'string_to_bytes',
    (call) => ({
      cost: characters(size(call, 0)),
      size: { min: size(call, 0).min, max: Math.min(MAX_VALUE, size(call, 0).max * 4) },
    }),
  ],
  [
    'bytes_to_string',
    (call) => ({
      cost: characters(size(call, 0)),
      size: { min: Math.floor(size(call, 0).min / 4), max: size(call, 0).max },
    }),
  ],
  ['strings_quote', (call) => ({ cost: characters(size(call, 0)), size: plus(scaled(size(call, 0), 2), exactly(2)) })],
  // Like Kubernetes, use the size of the prefix or suffix, not the size of the text.
  ...each(['starts_with_string', 'ends_with_string'], (call) => ({ cost: characters(size(call, 1)) })),
  ['in_list', (call) => ({ cost: size(call, 1) })],
  ['matches_string', matched],
  ['contains_string', contains],
  ...each(['add_string', 'add_bytes', 'add_list'], added),
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id) =>
    each([`${id}_string`, `${id}_bytes`], compared),
  ),
  ['not_equals', compared],
  ['equals', (call) => equality(call) ?? compared(call)],
  ['cidr_ip', () => ({ cost: exactly(1) })],
]);

function isText(type: CelType | undefined): boolean {
  return type?.kind === 'string' || type?.kind === 'bytes';
}

/**
 * Estimates a comparison of opaque values such as quantities and IP addresses as one unit. `undefined` for other
 * values.
 */
function equality({ args: [left, right] }: EstimatedCall): CallEstimate | undefined {
  if (left?.type?.kind !== 'opaque' || right?.type === undefined || !sameType(left.type, right.type)) return undefined;
  return left.type.name === 'optional_type' ? undefined : { cost: exactly(1) };
}

const BY_NAME: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['check', () => ({ cost: exactly(350_000) })],
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], wholeList),
  ...each(['url', 'lowerAscii', 'upperAscii', 'substring', 'trim'], firstCopied),
  ['replace', replaced],
  [
    'split',
    (call) => ({
      cost: characters(size(call, 0), 2),
      size: { min: 0, max: literalOr(call.args[2], size(call, 0).max) },
    }),
  ],
  ['join', joined],
  ...each(['find', 'findAll'], (call) => ({
    cost: patternCost(size(call, 0), size(call, 1)),
    size: { min: 0, max: size(call, 0).max },
  })),
  ...each(['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'], firstOnce),
  ['ip.isCanonical', (call) => ({ cost: characters(size(call, 0), 2) })],
  ['containsIP', (call) => ({ cost: addresses(call, 2, 'cidr_contains_ip_string') })],
  ['containsCIDR', (call) => ({ cost: plus(addresses(call, 3, 'cidr_contains_cidr_string'), exactly(1)) })],
  ['validate', (call) => ({ cost: scaled(characters(size(call, 1)), LONGEST_FORMAT_PATTERN * PER_PATTERN_CHARACTER) })],
  ...each(['fieldSelector', 'labelSelector'], (call) => {
    const text = size(call, 1);
    return { cost: plus(exactly(10), characters(text), scaled(scaled(text, 0.5), 50)) };
  }),
]);

/**
 * Returns the cost of comparing IP addresses. An address has 4 or 16 bytes and is read `rounds` times (2 or 3).
 * `written` is the ID of the overload that accepts an address as text. The cost of that overload includes parsing the
 * text.
 */
function addresses(call: EstimatedCall, rounds: number, written: string): Span {
  const bytes: Span = { min: 4, max: 16 };
  const twice = characters(plus(bytes, bytes));
  const rest = rounds > 2 ? characters(bytes) : exactly(0);
  return plus(twice, rest, call.id === written ? characters(size(call, 1)) : exactly(0));
}

function replaced(call: EstimatedCall): CallEstimate {
  const [text, from, to] = [size(call, 0), size(call, 1), size(call, 2)];
  let most: number;
  if (from.min === 0) most = (text.max + 1) * to.max + text.max;
  else if (to.max <= from.min) most = text.max;
  else most = Math.ceil(text.max / from.min) * to.max;
  let least: number;
  if (from.max === 0) least = (text.min + 1) * to.min + text.min;
  else if (from.max <= to.min) least = text.min;
  else least = Math.ceil(text.min / from.max) * to.min;
  return { cost: characters(text, 2), size: { min: Math.min(least, MAX_VALUE), max: Math.min(most, MAX_VALUE) } };
}

function joined(call: EstimatedCall): CallEstimate {
  const list = size(call, 0);
  const elements = call.element === undefined ? exactly(0) : times(list, call.element.size);
  const gaps: Span = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const made = call.sizes.length > 1 ? plus(elements, times(size(call, 1), gaps)) : elements;
  return { cost: characters(made), size: made };
}
