import { BOOL, INT, opaque, STRING } from '../cel-type.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { CelOpaque } from '../value.ts';

const SEMVER = opaque('kubernetes.Semver');

class CelSemver extends CelOpaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelSemver && compare(this, other) === 0n;
  }
}

type One = readonly [CelSemver];
type Two = readonly [CelSemver, CelSemver];

/**
 * The CEL functions for semantic versions. `semver("v1.2", true)` also accepts versions that must be normalized first.
 */
export const versions: readonly Overload[] = [
  overload('semver', 'string_to_semver', signature([STRING], SEMVER), ([text]: readonly [string]) => read(text)),
  overload(
    'semver',
    'string_bool_to_semver',
    signature([STRING, BOOL], SEMVER),
    ([text, lenient]: readonly [string, boolean]) => read(lenient ? normalized(text) : text),
  ),
  overload(
    'isSemver',
    'is_semver_string',
    signature([STRING], BOOL),
    ([text]: readonly [string]) => parse(text) !== undefined,
  ),
  overload(
    'isSemver',
    'is_semver_string_bool',
    signature([STRING, BOOL], BOOL),
    ([text, lenient]: readonly [string, boolean]) => parse(lenient ? normalized(text) : text) !== undefined,
  ),
  method('major', 'semver_major', signature([SEMVER], INT), ([version]: One) => version.numbers[0]),
  method('minor', 'semver_minor', signature([SEMVER], INT), ([version]: One) => version.numbers[1]),
  method('patch', 'semver_patch', signature([SEMVER], INT), ([version]: One) => version.numbers[2]),
  method(
    'isGreaterThan',
    'semver_is_greater_than',
    signature([SEMVER, SEMVER], BOOL),
    ([a, b]: Two) => compare(a, b) > 0n,
  ),
  method('isLessThan', 'semver_is_less_than', signature([SEMVER, SEMVER], BOOL), ([a, b]: Two) => compare(a, b) < 0n),
  method('compareTo', 'semver_compare_to', signature([SEMVER, SEMVER], INT), ([a, b]: Two) => compare(a, b)),
];

const NUMBER = '(0|[1-9]\\d*)';
const PART = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SHAPE = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PART}(?:\\.${PART})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

function parse(text: string): CelSemver | undefined {
  const parts = SHAPE.exec(text);
  if (parts === null) return undefined;
  const numbers = parts.slice(1, 4).map(BigInt) as [bigint, bigint, bigint];
  if (numbers.some((number) => number >= 2n ** 64n)) return undefined;
  return new CelSemver(numbers, parts[4]?.split('.') ?? []);
}

function read(text: string): CelSemver {
  const version = parse(text);
  if (version !== undefined) return version;
  throw new EvaluationError(text === '' ? 'Version string empty' : 'No Major.Minor.Patch elements found');
}

/** Normalizes a version: removes a leading `v` and leading zeros, and adds missing numbers (`v1.2` becomes `1.2.0`). */
function normalized(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
  const plain = parts.map((part) => part.replace(/^0+(?=\d)/, ''));
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) ?? '')) return '';
  while (plain.length < 3) plain.push('0');
  return plain.join('.');
}

function compare(left: CelSemver, right: CelSemver): bigint {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] as bigint;
    if (number !== other) return number < other ? -1n : 1n;
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return BigInt(Math.sign(right.prerelease.length - left.prerelease.length));
  }
  for (const [index, part] of left.prerelease.entries()) {
    const other = right.prerelease[index];
    if (other === undefined) return 1n;
    const order = comparePart(part, other);
    if (order !== 0n) return order;
  }
  return left.prerelease.length < right.prerelease.length ? -1n : 0n;
}

/** Compares identifiers of a prerelease: numbers by value, words by characters. Numbers sort before words. */
function comparePart(left: string, right: string): bigint {
  const [leftNumber, rightNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (leftNumber !== rightNumber) return leftNumber ? -1n : 1n;
  const [a, b] = leftNumber ? [BigInt(left), BigInt(right)] : [left, right];
  if (a === b) return 0n;
  return a < b ? -1n : 1n;
}
