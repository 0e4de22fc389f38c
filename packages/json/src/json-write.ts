import { fastPathsEnabled } from '@flotilla/fast-paths';
import { sortByBytes } from './json-order.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

export interface WriteOptions {
  /** Spaces per level. Optional; defaults to 0 (compact). */
  readonly indent?: number;
  /** Sorts members in byte order at every level. Optional; defaults to true. False keeps their order. */
  readonly sorted?: boolean;
}

/** The maximum depth for JSON.stringify and for recursion; far below the stack limit. */
export const maxWriteDepth = 500;

/**
 * Writes JSON with exact 64-bit integers. Undefined members are omitted, as JSON.stringify does. Fast path:
 * JSON.stringify, for values that it writes exactly like this.
 */
export function writeJson(value: JsonValue, options: WriteOptions = {}): string {
  const sorted = options.sorted ?? true;
  const indent = options.indent ?? 0;
  if (fastPathsEnabled() && isPlain(value, sorted, 0)) return JSON.stringify(value, undefined, indent);
  return indent === 0 && depthWithin(value, maxWriteDepth)
    ? writeCompact(value, sorted)
    : new DeepWriter(sorted, indent).write(value);
}

/** The text of a part if it is known already; `undefined` if it has to be serialized. */
export type KnownText = (part: JsonObject | JsonValue[]) => string | undefined;

/** Like `writeJson`, for a value of which most parts are already known as text. */
export function writeJsonWithKnownParts(value: JsonValue, known: KnownText, levels = maxWriteDepth): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  const text = known(value);
  if (text !== undefined) return text;
  return levels === 0
    ? writeJson(value)
    : joinParts(value, true, (part) => writeJsonWithKnownParts(part, known, levels - 1));
}

/**
 * True if JSON.stringify, the fastest serializer, writes the expected text: no bigint, not too deep, members sorted.
 * Values read from the store are plain, and most of what is written was read from the store.
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
    // Surrogates sort differently by bytes; such keys are left to the sorting serializer.
    if (sorted && (key < previous || key >= '\ud800')) return false;
    previous = key;
    const member = value[key] as JsonValue;
    if (typeof member !== 'string' && !isPlain(member, sorted, depth + 1)) return false;
  }
  return true;
}

function depthWithin(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!depthWithin(item, levels - 1)) return false;
    return true;
  }
  for (const key in value) if (!depthWithin(value[key] as JsonValue, levels - 1)) return false;
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

function writeCompact(value: JsonValue, sorted: boolean): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  return joinParts(value, sorted, (part) => writeCompact(part, sorted));
}

function joinParts(value: JsonObject | JsonValue[], sorted: boolean, write: (part: JsonValue) => string): string {
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '[' : ','}${write(item ?? null)}`;
    return text === '' ? '[]' : `${text}]`;
  }
  for (const key of membersOf(value, sorted)) {
    const member = value[key];
    if (member !== undefined) text += `${text === '' ? '{' : ','}${writeString(key)}:${write(member)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

interface Level {
  readonly value: JsonObject | JsonValue[];
  /** Absent for arrays. */
  readonly keys?: string[];
  readonly length: number;
  next: number;
}

/** Writes values of any depth with an explicit stack, optionally indented. */
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
