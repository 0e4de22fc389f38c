import {
  cloneJson,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from '../../lib/json-value.ts';
import { DecodeError, wrongType } from '../decode/decode-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { schemaWords, type WordShape } from './schema-words.ts';

/** Where a word stands: in the document, and in Go's structs, which know neither indexes nor the names in maps. */
interface Place {
  readonly path: string;
  readonly goPath: string;
  readonly unknown: string[];
}

const shapeOf: ReadonlyMap<string, WordShape> = new Map(schemaWords.map(([word, shape]) => [word, shape]));

/**
 * A schema that was sent, with the words that schemas have, in Go's order, and without what says nothing (empty texts
 * and lists, flags that are false). The paths of other members go to `unknown`. Throws DecodeError.
 */
export function shapeSchema(value: JsonValue, path: string, unknown: string[]): JsonObject {
  return schema(value, { path, goPath: 'spec.versions.schema.openAPIV3Schema', unknown });
}

function schema(value: JsonValue, place: Place): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value)) throw mismatch(value, place, 'v1.JSONSchemaProps');
  for (const name of Object.keys(value)) {
    if (!shapeOf.has(name)) place.unknown.push(childPath(place.path, name));
  }
  const shaped: JsonObject = {};
  for (const [word, shape] of schemaWords) {
    const member = getMember(value, word);
    if (member === undefined || member === null) continue;
    const kept = shapeWord(member, shape, below(place, word));
    if (kept !== undefined) shaped[word] = kept;
  }
  return shaped;
}

/** What is kept of a word; undefined: nothing. */
function shapeWord(value: JsonValue, shape: WordShape, place: Place): JsonValue | undefined {
  switch (shape) {
    case 'text':
      return text(value, place) || undefined;
    case 'exact-text':
      return text(value, place);
    case 'flag':
      return flag(value, place) || undefined;
    case 'exact-flag':
      return flag(value, place);
    case 'number':
      return numberOf(value, place, 'float64');
    case 'whole':
      return numberOf(value, place, 'int64');
    case 'json':
      return cloneJson(value);
    case 'jsons':
      return unlessEmpty(list(value, place, '[]v1.JSON').map((item) => cloneJson(item)));
    case 'texts':
      return unlessEmpty(list(value, place, '[]string').map((item) => text(item, place)));
    case 'schema':
      return schema(value, place);
    case 'schemas':
      return unlessEmpty(schemas(value, place));
    case 'schema-map':
      return schemaMap(value, place, (item, at) => schema(item, at));
    case 'schema-or-flag':
      return typeof value === 'boolean' ? value : schema(value, place);
    case 'schema-or-schemas':
      return Array.isArray(value) ? schemas(value, place) : schema(value, place);
    case 'dependencies':
      return schemaMap(value, place, (item, at) =>
        Array.isArray(item) ? item.map((name) => text(name, at)) : schema(item, at),
      );
    case 'documentation':
      return struct(value, place, 'ExternalDocumentation', documentationWords);
    case 'rules':
      return unlessEmpty(
        list(value, place, '[]v1.ValidationRule').map((item, index) =>
          struct(item, { ...place, path: indexPath(place.path, index) }, 'ValidationRule', ruleWords),
        ),
      );
  }
}

const documentationWords: readonly (readonly [string, WordShape])[] = [
  ['description', 'text'],
  ['url', 'text'],
];

const ruleWords: readonly (readonly [string, WordShape])[] = [
  ['rule', 'exact-text'],
  ['message', 'text'],
  ['messageExpression', 'text'],
  ['reason', 'exact-text'],
  ['fieldPath', 'text'],
  ['optionalOldSelf', 'exact-flag'],
];

function struct(
  value: JsonValue,
  place: Place,
  goType: string,
  words: readonly (readonly [string, WordShape])[],
): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value)) throw mismatch(value, place, `v1.${goType}`);
  const shaped: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (!words.some(([known]) => known === name)) place.unknown.push(childPath(place.path, name));
  }
  for (const [name, shape] of words) {
    const member = getMember(value, name);
    const kept = member === undefined || member === null ? undefined : shapeWord(member, shape, below(place, name));
    if (kept !== undefined) shaped[name] = kept;
  }
  return shaped;
}

function schemas(value: JsonValue, place: Place): JsonObject[] {
  return list(value, place, '[]v1.JSONSchemaProps').map((item, index) =>
    schema(item, { ...place, path: indexPath(place.path, index) }),
  );
}

function schemaMap(
  value: JsonValue,
  place: Place,
  turn: (item: JsonValue, place: Place) => JsonValue,
): JsonObject | undefined {
  if (!isJsonObject(value)) throw mismatch(value, place, 'map[string]v1.JSONSchemaProps');
  const shaped: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    setMember(shaped, name, turn(item, { ...place, path: childPath(place.path, name) }));
  }
  return Object.keys(shaped).length === 0 ? undefined : shaped;
}

function text(value: JsonValue, place: Place): string {
  if (typeof value === 'string') return value;
  throw mismatch(value, place, 'string');
}

function flag(value: JsonValue, place: Place): boolean {
  if (typeof value === 'boolean') return value;
  throw mismatch(value, place, 'bool');
}

function numberOf(value: JsonValue, place: Place, goType: 'float64' | 'int64'): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && (goType === 'float64' || Number.isInteger(value))) return value;
  if (typeof value === 'number') {
    throw new DecodeError(
      `json: cannot unmarshal number ${value} into Go struct field ${fieldOf(place)} of type int64`,
    );
  }
  throw mismatch(value, place, goType);
}

function list(value: JsonValue, place: Place, goType: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw mismatch(value, place, goType);
}

function unlessEmpty<T extends JsonValue>(items: T[]): T[] | undefined {
  return items.length === 0 ? undefined : items;
}

function below(place: Place, name: string): Place {
  return { ...place, path: childPath(place.path, name), goPath: `${place.goPath}.${name}` };
}

function fieldOf({ goPath }: Place): string {
  return `JSONSchemaProps.${goPath}`;
}

function mismatch(value: JsonValue, place: Place, goType: string) {
  return wrongType(value, fieldOf(place), goType);
}
