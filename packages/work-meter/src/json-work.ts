import type { JsonObject, JsonValue } from '@flotilla/json';
import type { WorkMeter } from './work-meter.ts';

/** The units of work that an operation on a JSON value takes, such as writing or comparing it. */
export interface JsonUnits {
  readonly perScalar: number;
  readonly perContainer: number;
  readonly perMember: number;
  readonly perCharacter: number;
  /**
   * The units for each character that a writer has to escape: quotes, `\`, `<`, `>`, `&`, and all characters except
   * printable ASCII.
   */
  readonly perEscape?: number;
  /**
   * The units for one level of indentation. They are added once per nesting level for each value and for each line of a
   * text.
   */
  readonly perLevel?: number;
  /** True if the operation sorts the members of objects. */
  readonly isSorted?: boolean;
  /** The maximum nesting depth that the operation supports. */
  readonly maxDepth?: number;
}

/** V8 stores objects with more members than this as hash tables, whose members take much longer to enumerate. */
const largeObject = 1_000;
const unitsPerLargeMember = 30;

/** Returns the work of enumerating the members of an object. */
export function enumerationUnits(members: number): number {
  return members > largeObject ? members * unitsPerLargeMember : members;
}

/** Returns the work of sorting keys: each comparison reads characters of two keys. */
export function sortUnits(keys: readonly string[]): number {
  let characters = 0;
  for (const key of keys) characters += key.length;
  return keys.length * 40 + (keys.length * 10 + characters) * Math.ceil(Math.log2(keys.length + 1));
}

/**
 * Returns the work of an operation on a value, without performing the operation. Stops counting as soon as the work
 * exceeds `limit`. A list or map that the value contains several times is counted several times, so a small value can
 * have a huge text. Throws an Error if the value is nested too deeply for the operation.
 */
export function jsonWork(value: JsonValue, units: JsonUnits, limit: number): number {
  const { perLevel = 0, maxDepth = Number.POSITIVE_INFINITY } = units;
  const pending: JsonValue[] = [value];
  const depths: number[] = [0];
  let work = 0;
  for (let next = pending.pop(); next !== undefined && work <= limit; next = pending.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth > maxDepth) throw new Error(`the value is nested more than ${maxDepth} levels deep`);
    work += perLevel * depth;
    if (typeof next === 'string') work += units.perScalar + textWork(next, units, depth);
    if (typeof next !== 'object' || next === null) {
      work += typeof next === 'string' ? 0 : units.perScalar;
      continue;
    }
    const items = Array.isArray(next) ? next : Object.values(next);
    work += units.perContainer + (Array.isArray(next) ? 0 : memberWork(next, units, depth));
    if (work > limit) return work;
    for (const item of items) {
      pending.push(item ?? null);
      depths.push(depth + 1);
    }
  }
  return work;
}

/**
 * Charges the work of an operation on a value and returns true if the meter's limit allows it. Otherwise charges all
 * remaining units, because counting was also work, and returns false.
 */
export function tryChargeJson(meter: WorkMeter, value: JsonValue, units: JsonUnits): boolean {
  if (meter.tryCharge(jsonWork(value, units, meter.remaining))) return true;
  meter.tryCharge(meter.remaining);
  return false;
}

function memberWork(value: JsonObject, units: JsonUnits, depth: number): number {
  const keys = Object.keys(value);
  let work = enumerationUnits(keys.length) + keys.length * units.perMember;
  for (const key of keys) work += textWork(key, units, depth);
  return units.isSorted === true ? work + sortUnits(keys) : work;
}

const escapedCodes = new Set([...'"\\<>&'].map((character) => character.charCodeAt(0)));

function textWork(text: string, { perCharacter, perEscape = 0, perLevel = 0 }: JsonUnits, depth: number): number {
  const work = text.length * perCharacter;
  if (perEscape === 0) return work;
  let escapes = 0;
  let lines = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) lines++;
    if (code < 0x20 || code > 0x7e || escapedCodes.has(code)) escapes++;
  }
  return work + escapes * perEscape + lines * perLevel * depth;
}
