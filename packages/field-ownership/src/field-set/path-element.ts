import { compareBytes, isJsonObject, type JsonValue, parseJson, writeJson } from '@flotilla/json';

/**
 * One element of a field path: it selects a member or an item of a value, as in FieldsV1 (rule SSA-20). `text` is the
 * canonical text: two elements are equal exactly if their texts are equal.
 */
export type PathElement = { readonly text: string } & (
  | { readonly type: 'field'; readonly name: string }
  /** An item of a list with keys, identified by the values of its keys, which are sorted by name. */
  | { readonly type: 'key'; readonly keys: readonly KeyValue[] }
  /** An item of a set, identified by its value. */
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'index'; readonly index: number }
);

export type KeyValue = readonly [name: string, value: JsonValue];

export type FieldPath = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return { type: 'field', name, text: `f:${name}` };
}

export function keyElement(unsorted: readonly KeyValue[]): PathElement {
  const keys = unsorted.length < 2 ? unsorted : [...unsorted].sort(([a], [b]) => compareBytes(a, b));
  let members = '';
  for (const [name, value] of keys) members += `${members === '' ? '' : ','}${goJson(name)}:${goJson(value)}`;
  return { type: 'key', keys, text: `k:{${members}}` };
}

export function valueElement(value: JsonValue): PathElement {
  return { type: 'value', value, text: `v:${goJson(value)}` };
}

export function indexElement(index: number): PathElement {
  return { type: 'index', index, text: `i:${index}` };
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these, and Go also the others.
const needsEscape = /["\\\u0000-\u001f<>&\u2028\u2029\ud800-\udfff]/;

/** Returns compact JSON with the same escapes as Go's encoding/json, so that Go clients produce the same text. */
export function goJson(value: JsonValue): string {
  if (typeof value === 'string' && !needsEscape.test(value)) return `"${value}"`;
  return writeJson(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] as string);
}

/** Matches a JSON string without escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these, and Go also the others.
const plainText = /^"[^"\\\u0000-\u001f<>&\u2028\u2029\ud800-\udfff]*"$/;

/**
 * Parses a path element from a FieldsV1 key. `undefined` if the type of the element is unknown; callers ignore such an
 * element. Throws if the text is invalid.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text[1] !== ':') throw new Error(`invalid path element: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return fieldElement(rest);
    case 'v':
      return plainText.test(rest)
        ? { type: 'value', value: rest.slice(1, -1), text }
        : valueElement(parseJson(rest).value);
    case 'k': {
      const { value } = parseJson(rest);
      if (!isJsonObject(value)) throw new Error(`invalid list key: ${text}`);
      return keyElement(Object.entries(value));
    }
    case 'i': {
      if (!/^[+-]?\d+$/.test(rest)) throw new Error(`invalid index: ${text}`);
      return indexElement(Number(rest));
    }
    default:
      return undefined;
  }
}

const typeOrder = { field: 0, key: 1, value: 2, index: 3 } as const;

/** Compares elements by their order in FieldsV1 and in conflicts: fields, items by key, items by value, indices. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.type === 'field' && b.type === 'field') return compareBytes(a.name, b.name);
  if (a.type === 'key' && b.type === 'key') return compareKeys(a.keys, b.keys);
  if (a.type === 'value' && b.type === 'value') return compareValues(a.value, b.value);
  if (a.type === 'index' && b.type === 'index') return a.index - b.index;
  return typeOrder[a.type] - typeOrder[b.type];
}

function compareKeys(a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (let index = 0; index < a.length; index++) {
    const [one, other] = [a[index], b[index]];
    if (one === undefined || other === undefined) return 1;
    const order = (one[0] === other[0] ? 0 : compareBytes(one[0], other[0])) || compareValues(one[1], other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/**
 * Compares values. Numbers sort before strings, strings before booleans, and booleans before all other values, which
 * are compared by their JSON text.
 */
function compareValues(a: JsonValue, b: JsonValue): number {
  const order = valueRank(a) - valueRank(b);
  if (order !== 0) return order;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  return compareBytes(goJson(a), goJson(b));
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function valueRank(value: JsonValue): number {
  if (isNumber(value)) return 0;
  if (typeof value === 'string') return 1;
  return typeof value === 'boolean' ? 2 : 3;
}

/** Formats a path for messages (rule SSA-13), for example `.spec.list[name="x"].value` or `.spec.set[="v"]`. */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join('');
}

export function printElement(element: PathElement): string {
  switch (element.type) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.keys.map(([name, value]) => `${name}=${writeJson(value)}`).join(',')}]`;
    case 'value':
      return `[=${writeJson(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}
