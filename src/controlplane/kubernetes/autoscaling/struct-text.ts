import { isJsonObject, type JsonObject, type JsonValue, parseJson, writeJson } from '@flotilla/json';
import { DecodeError } from '../../../api/decode/decode-error.ts';
import { decodeStruct } from '../../../api/decode/decode-into-go-struct.ts';
import { foldMemberNames } from '../../../api/decode/fold-member-names.ts';
import type { GoStruct } from '../../../api/structs/go-struct.ts';
import { kubernetesStructs } from '../../../api/structs/kubernetes-structs.ts';
import { toPrintedStruct } from '../../../api/structs/printed-form.ts';

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns JSON as Go's standard encoder writes it. Members keep their order. */
export function goText(value: JsonValue): string {
  return writeJson(value, { sorted: false }).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? '');
}

/**
 * Returns the text of a list of structs. `name` is the name of the struct type in the struct tables, such as
 * `core.Container`.
 */
export function textOfStructs(name: string, items: readonly JsonObject[]): string {
  const struct = structNamed(name);
  return goText(items.map((item) => toPrintedStruct(struct, item)));
}

/**
 * Reads a list of structs from a text, as Go's standard decoder does. All members that Go prints are present. Returns
 * `undefined` if Go could not decode the text.
 */
export function structsIn(name: string, text: string): JsonObject[] | undefined {
  const struct = structNamed(name);
  const value = parsed(text);
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item) => decoded(struct, item ?? {}));
  return items.includes(undefined) ? undefined : items.map((item) => toPrintedStruct(struct, item ?? {}));
}

/** Reads one struct from a text. Returns `undefined` if Go could not decode the text. */
export function structIn(name: string, text: string): JsonObject | undefined {
  const value = parsed(text);
  return decoded(structNamed(name), value === null ? {} : value);
}

function structNamed(name: string): GoStruct {
  const struct = kubernetesStructs.structOf(name);
  if (struct === undefined) throw new TypeError(`the struct tables have no ${name}`);
  return struct;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}

function decoded(struct: GoStruct, value: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  try {
    return decodeStruct(struct, foldMemberNames(struct, value));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
