import type { JsonValue } from '@flotilla/json';
import type { TemplateWork } from './template-work.ts';
import { sortUnits } from './template-work.ts';

/**
 * The maximum nesting depth of a value that is written as text. Writers are recursive, and each level of YAML copies
 * the text of all levels below it.
 */
const maxDepth = 100;

/** The units of work that a writer takes. */
export interface WriterUnits {
  readonly perValue: number;
  readonly perCharacter: number;
  /** Added for each character that a writer may escape: quotes, `\\`, `<`, `>`, `&`, and all but printable ASCII. */
  readonly perEscape: number;
  /** Per level of nesting, for each value and each line of a text: the indentation. */
  readonly perLevel: number;
}

export const plainUnits: WriterUnits = { perValue: 20, perCharacter: 1, perEscape: 0, perLevel: 0 };
export const quotedUnits: WriterUnits = { perValue: 20, perCharacter: 3, perEscape: 30, perLevel: 0 };
export const jsonUnits: WriterUnits = { perValue: 40, perCharacter: 3, perEscape: 20, perLevel: 0 };
export const yamlUnits: WriterUnits = { perValue: 500, perCharacter: 8, perEscape: 32, perLevel: 20 };

/**
 * Charges the work of writing a value, before it is written. Lists and maps that a value contains several times are
 * written several times, so a small value can have a huge text. Ends at the limit of work and does not build the text.
 */
export function chargeValue(work: TemplateWork, value: JsonValue, units: WriterUnits, depth = 0): void {
  if (depth > maxDepth) throw new Error(`the value is nested more than ${maxDepth} levels deep`);
  work.charge(units.perValue + units.perLevel * depth);
  if (typeof value === 'string') {
    chargeText(work, value, units, depth);
  } else if (Array.isArray(value)) {
    for (const item of value) chargeValue(work, item, units, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    const keys = work.keysOf(value);
    work.charge(sortUnits(keys));
    for (const key of keys) {
      chargeText(work, key, units, depth);
      chargeValue(work, value[key] ?? null, units, depth + 1);
    }
  }
}

const escapedCodes = new Set([...'"\\<>&'].map((character) => character.charCodeAt(0)));

function chargeText(work: TemplateWork, text: string, units: WriterUnits, depth: number): void {
  work.charge(text.length * units.perCharacter);
  if (units.perEscape === 0) return;
  let escapes = 0;
  let lines = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) lines++;
    if (code < 0x20 || code > 0x7e || escapedCodes.has(code)) escapes++;
  }
  work.charge(escapes * units.perEscape + lines * units.perLevel * depth);
}
