import { exactInteger } from '@flotilla/json';
import { DocumentError } from './document-error.ts';

export type YamlScalar = string | number | bigint | boolean | null;

/**
 * Plain scalars with a special value, as in sigs.k8s.io/yaml (YAML 1.1, except that timestamps stay strings). As in Go,
 * a scalar is looked up only if its first character is that of a special word. Therefore `.Null` is a string. The empty
 * scalar and `~` are null.
 */
const specialScalars: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/;
const otherBase = /^([-+]?)0(?:([xX])([0-9a-fA-F]+)|([bB])([01]+)|[oO]?([0-7]+))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

export function resolvePlainScalar(text: string): YamlScalar {
  const word = specialScalars.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const mayBeNumber = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e;
  if (!mayBeNumber) return text;
  const digits = first === 0x2e ? text : text.replaceAll('_', '');
  return integer(digits) ?? floating(digits) ?? text;
}

function integer(digits: string): number | bigint | undefined {
  if (decimal.test(digits)) {
    return Number.isFinite(Number(digits))
      ? exactInteger(digits.startsWith('+') ? digits.slice(1) : digits)
      : undefined;
  }
  const match = otherBase.exec(digits);
  if (match === null) return undefined;
  const [, sign, , hex, , binary, octal] = match;
  // A value with so many digits does not fit 64 bits in any base. Keep it as a string, which is more precise than a
  // rounded number.
  if (digits.length > 70) return undefined;
  const magnitude = BigInt(hex !== undefined ? `0x${hex}` : binary !== undefined ? `0b${binary}` : `0o${octal}`);
  return exactInteger(`${sign === '-' ? '-' : ''}${magnitude}`);
}

/**
 * Returns the floating-point number; `undefined` if the value exceeds the range of float64. As in Go, such a scalar
 * stays a string.
 */
function floating(digits: string): number | undefined {
  if (!float.test(digits)) return undefined;
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

const standardTag = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/;

/** Resolves a scalar with an explicit tag. With a tag that YAML does not define, the scalar stays a string. */
export function resolveTaggedScalar(tag: string, text: string, plain: boolean): YamlScalar {
  if (tag === '!') return text;
  const name = standardTag.exec(tag)?.[1];
  if (name === 'binary') return decodeBase64(text);
  if (name === undefined || name === 'str' || name === 'timestamp') return text;
  const value = resolvePlainScalar(text);
  const fits =
    (name === 'int' && (typeof value === 'bigint' || Number.isInteger(value))) ||
    (name === 'float' && (typeof value === 'number' || typeof value === 'bigint')) ||
    (name === 'bool' && typeof value === 'boolean') ||
    (name === 'null' && value === null);
  if (fits) return value;
  if (!['int', 'float', 'bool', 'null'].includes(name)) return plain ? value : text;
  throw new DocumentError(`yaml: cannot decode !!${kindOf(value)} \`${truncateLikeGoYaml(text)}\` as a !!${name}`);
}

/** Truncates text as go-yaml does in its error messages, because the text can be long or secret. */
export function truncateLikeGoYaml(text: string): string {
  return text.length > 10 ? `${text.slice(0, 7)}...` : text;
}

function kindOf(value: YamlScalar): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'int';
  return typeof value === 'number' ? 'float' : 'str';
}

function decodeBase64(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    throw new DocumentError('yaml: !!binary value contains invalid base64 data');
  }
}
