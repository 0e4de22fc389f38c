import { fastPathsEnabled } from '@flotilla/fast-paths';
import { sortByBytes } from './json-order.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

export interface WriteOptions {
  /** The number of spaces per nesting level. Optional; defaults to 0, which writes compact JSON. */
  readonly indent?: number;
  /** True to sort the members of all objects by UTF-8 bytes, false to keep their order. Optional; defaults to true. */
  readonly sorted?: boolean;
}

/**
 * The maximum nesting depth of values that are written with recursion or JSON.stringify, far below the depth at which
 * the call stack overflows. Deeper values are written by DeepWriter.
 */
export const maxWriteDepth = 500;

/**
 * Writes JSON with exact 64-bit integers. Omits undefined members, as JSON.stringify does. The fast path uses
 * JSON.stringify where the result is the same.
 */
export function writeJson(value: JsonValue, options: WriteOptions = {}): string {
  const sorted = options.sorted ?? true;
  const indent = options.indent ?? 0;
  if (fastPathsEnabled() && isPlain(value, sorted, 0)) return JSON.stringify(value, undefined, indent);
  if (indent === 0) {
    const writer = new CompactWriter(sorted);
    const text = writer.write(value, maxWriteDepth);
    if (!writer.isTooDeep) return text;
  }
  return new DeepWriter(sorted, indent).write(value);
}

/**
 * True if JSON.stringify, the fastest serializer, writes the same text as `writeJson`: the value contains no bigints,
 * is not nested too deeply, and its members are already sorted. This is true for all values from the store, and
 * therefore for most values.
 */
export function isPlain(value: JsonValue, sorted: boolean, depth: number): boolean {
  if (typeof value === 'bigint' || depth > maxWriteDepth) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== 'string' && !isPlain(item, sorted, depth + 1)) return false;
    return true;
  }
  let previous = '';
  for (const key in value) {
    // Names from U+D800 on sort differently by UTF-16 code unit and by UTF-8 bytes, so `writeJson` must sort them.
    if (sorted && (key < previous || key >= '\ud800')) return false;
    previous = key;
    const member = value[key] as JsonValue;
    if (typeof member !== 'string' && !isPlain(member, sorted, depth + 1)) return false;
  }
  return true;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these.
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

function writeString(text: string): string {
  return text.length < 64 && !needsEscape.test(text) ? `"${text}"` : JSON.stringify(text);
}

function writeScalar(value: JsonValue): string {
  if (typeof value === 'string') return writeString(value);
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : JSON.stringify(value);
}

function membersOf(value: JsonObject, sorted: boolean): string[] {
  const keys = Object.keys(value);
  return sorted && keys.length > 1 ? sortByBytes(keys) : keys;
}

/** Writes values with recursion. */
class CompactWriter {
  /** True if a value was nested too deeply. The text is then incomplete. */
  isTooDeep = false;
  readonly #sorted: boolean;

  constructor(sorted: boolean) {
    this.#sorted = sorted;
  }

  write(value: JsonValue, levels: number): string {
    if (typeof value !== 'object' || value === null) return writeScalar(value);
    if (levels === 0) this.isTooDeep = true;
    if (this.isTooDeep) return '';
    let text = '';
    if (Array.isArray(value)) {
      for (const item of value) text += `${text === '' ? '[' : ','}${this.write(item ?? null, levels - 1)}`;
      return text === '' ? '[]' : `${text}]`;
    }
    for (const key of membersOf(value, this.#sorted)) {
      const member = value[key];
      if (member === undefined) continue;
      text += `${text === '' ? '{' : ','}${writeString(key)}:${this.write(member, levels - 1)}`;
    }
    return text === '' ? '{}' : `${text}}`;
  }
}

interface Level {
  readonly value: JsonObject | JsonValue[];
  /** The names of the members of an object; absent for an array. */
  readonly keys?: string[];
  readonly length: number;
  next: number;
}

/** Writes values of any depth with an explicit stack instead of recursion. Supports indentation. */
class DeepWriter {
  readonly #sorted: boolean;
  readonly #indent: number;
  readonly #levels: Level[] = [];
  readonly #parts: string[] = [];

  constructor(sorted: boolean, indent: number) {
    this.#sorted = sorted;
    this.#indent = indent;
  }

  write(root: JsonValue): string {
    this.#begin(root);
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      if (level.next === level.length) this.#end(level);
      else this.#member(level);
    }
    return this.#parts.join('');
  }

  #begin(value: JsonValue): void {
    if (isJsonObject(value)) {
      const keys = membersOf(value, this.#sorted).filter((key) => value[key] !== undefined);
      this.#levels.push({ value, keys, length: keys.length, next: 0 });
      this.#parts.push('{');
    } else if (Array.isArray(value)) {
      this.#levels.push({ value, length: value.length, next: 0 });
      this.#parts.push('[');
    } else {
      this.#parts.push(writeScalar(value));
    }
  }

  #member(level: Level): void {
    const at = level.next++;
    if (at > 0) this.#parts.push(',');
    this.#newLine();
    const key = level.keys?.[at];
    if (key === undefined) {
      this.#begin((level.value as JsonValue[])[at] ?? null);
    } else {
      this.#parts.push(writeString(key), this.#indent > 0 ? ': ' : ':');
      this.#begin((level.value as JsonObject)[key] as JsonValue);
    }
  }

  #end(level: Level): void {
    this.#levels.pop();
    if (level.length > 0) this.#newLine();
    this.#parts.push(level.keys === undefined ? ']' : '}');
  }

  #newLine(): void {
    if (this.#indent > 0) this.#parts.push('\n', ' '.repeat(this.#indent * this.#levels.length));
  }
}
