import { cloneJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { DecodeError, wrongTypeError } from '../decode/decode-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { type KeywordType, schemaKeywords } from './schema-keywords.ts';

/** Location of a keyword: its path in the document, and its path in Go's structs, which omits indexes and map keys. */
interface Location {
  readonly path: string;
  readonly goPath: string;
  readonly unknown: string[];
}

/** The positions of the keywords in Go's order. */
const positions: ReadonlyMap<string, number> = new Map(schemaKeywords.map(([word], position) => [word, position]));

/**
 * Normalizes a schema from a request: keeps only known keywords, in Go's order, and drops empty values (empty strings,
 * empty lists and false). Adds the paths of unknown keywords to `unknown`. Throws DecodeError.
 */
export function normalizeSchema(value: JsonValue, path: string, unknown: string[]): JsonObject {
  return schema(value, { path, goPath: 'spec.versions.schema.openAPIV3Schema', unknown });
}

function schema(value: JsonValue, location: Location): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value)) throw mismatch(value, location, 'v1.JSONSchemaProps');
  // A schema contains few of the many keywords, so visit only the keywords that it contains.
  const found: number[] = [];
  for (const name of Object.keys(value)) {
    const position = positions.get(name);
    if (position === undefined) location.unknown.push(childPath(location.path, name));
    else found.push(position);
  }
  const shaped: JsonObject = {};
  for (const position of found.sort((a, b) => a - b)) {
    const [word, shape] = schemaKeywords[position] as (typeof schemaKeywords)[number];
    const member = value[word];
    if (member === undefined || member === null) continue;
    const kept = normalizeKeyword(member, shape, below(location, word));
    if (kept !== undefined) shaped[word] = kept;
  }
  return shaped;
}

/** Returns the normalized value of a keyword. `undefined` if the keyword is dropped. */
function normalizeKeyword(value: JsonValue, shape: KeywordType, location: Location): JsonValue | undefined {
  switch (shape) {
    case 'text':
      return text(value, location) || undefined;
    case 'exact-text':
      return text(value, location);
    case 'flag':
      return flag(value, location) || undefined;
    case 'exact-flag':
      return flag(value, location);
    case 'number':
      return numberOf(value, location, 'float64');
    case 'whole':
      return numberOf(value, location, 'int64');
    case 'json':
      return cloneJson(value);
    case 'jsons':
      return unlessEmpty(list(value, location, '[]v1.JSON').map((item) => cloneJson(item)));
    case 'texts':
      return unlessEmpty(list(value, location, '[]string').map((item) => text(item, location)));
    case 'schema':
      return schema(value, location);
    case 'schemas':
      return unlessEmpty(schemas(value, location));
    case 'schema-map':
      return schemaMap(value, location, (item, at) => schema(item, at));
    case 'schema-or-flag':
      return typeof value === 'boolean' ? value : schema(value, location);
    case 'schema-or-schemas':
      return Array.isArray(value) ? schemas(value, location) : schema(value, location);
    case 'dependencies':
      return schemaMap(value, location, (item, at) =>
        Array.isArray(item) ? item.map((name) => text(name, at)) : schema(item, at),
      );
    case 'documentation':
      return struct(value, location, 'ExternalDocumentation', documentationKeywords);
    case 'rules':
      return unlessEmpty(
        list(value, location, '[]v1.ValidationRule').map((item, index) =>
          struct(item, { ...location, path: indexPath(location.path, index) }, 'ValidationRule', ruleKeywords),
        ),
      );
  }
}

const documentationKeywords: readonly (readonly [string, KeywordType])[] = [
  ['description', 'text'],
  ['url', 'text'],
];

const ruleKeywords: readonly (readonly [string, KeywordType])[] = [
  ['rule', 'exact-text'],
  ['message', 'text'],
  ['messageExpression', 'text'],
  ['reason', 'exact-text'],
  ['fieldPath', 'text'],
  ['optionalOldSelf', 'exact-flag'],
];

function struct(
  value: JsonValue,
  location: Location,
  goType: string,
  words: readonly (readonly [string, KeywordType])[],
): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value)) throw mismatch(value, location, `v1.${goType}`);
  const shaped: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (!words.some(([known]) => known === name)) location.unknown.push(childPath(location.path, name));
  }
  for (const [name, shape] of words) {
    const member = getMember(value, name);
    const kept =
      member === undefined || member === null ? undefined : normalizeKeyword(member, shape, below(location, name));
    if (kept !== undefined) shaped[name] = kept;
  }
  return shaped;
}

function schemas(value: JsonValue, location: Location): JsonObject[] {
  return list(value, location, '[]v1.JSONSchemaProps').map((item, index) =>
    schema(item, { ...location, path: indexPath(location.path, index) }),
  );
}

function schemaMap(
  value: JsonValue,
  location: Location,
  turn: (item: JsonValue, location: Location) => JsonValue,
): JsonObject | undefined {
  if (!isJsonObject(value)) throw mismatch(value, location, 'map[string]v1.JSONSchemaProps');
  const shaped: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    setMember(shaped, name, turn(item, { ...location, path: childPath(location.path, name) }));
  }
  return Object.keys(shaped).length === 0 ? undefined : shaped;
}

function text(value: JsonValue, location: Location): string {
  if (typeof value === 'string') return value;
  throw mismatch(value, location, 'string');
}

function flag(value: JsonValue, location: Location): boolean {
  if (typeof value === 'boolean') return value;
  throw mismatch(value, location, 'bool');
}

function numberOf(value: JsonValue, location: Location, goType: 'float64' | 'int64'): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && (goType === 'float64' || Number.isInteger(value))) return value;
  if (typeof value === 'number') {
    throw new DecodeError(
      `json: cannot unmarshal number ${value} into Go struct field ${fieldOf(location)} of type int64`,
    );
  }
  throw mismatch(value, location, goType);
}

function list(value: JsonValue, location: Location, goType: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw mismatch(value, location, goType);
}

function unlessEmpty<T extends JsonValue>(items: T[]): T[] | undefined {
  return items.length === 0 ? undefined : items;
}

function below(location: Location, name: string): Location {
  return { ...location, path: childPath(location.path, name), goPath: `${location.goPath}.${name}` };
}

function fieldOf({ goPath }: Location): string {
  return `JSONSchemaProps.${goPath}`;
}

function mismatch(value: JsonValue, location: Location, goType: string) {
  return wrongTypeError(value, fieldOf(location), goType);
}
