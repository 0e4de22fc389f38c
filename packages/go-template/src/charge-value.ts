import type { JsonValue } from '@flotilla/json';
import { type JsonUnits, jsonWork } from '@flotilla/work-meter';
import type { TemplateWork } from './template-work.ts';

/** The maximum nesting depth of a value that is written as text, because writers are recursive. */
const maxDepth = 100;

function unitsOf(perValue: number, others: Partial<JsonUnits>): JsonUnits {
  return {
    perScalar: perValue,
    perContainer: perValue,
    perMember: 40,
    perCharacter: 1,
    isSorted: true,
    maxDepth,
    ...others,
  };
}

export const plainUnits = unitsOf(20, {});
export const quotedUnits = unitsOf(20, { perCharacter: 3, perEscape: 30 });
export const jsonUnits = unitsOf(40, { perCharacter: 3, perEscape: 20 });

/**
 * Charges the work of writing a value before the value is written, without building the text. Stops at the work limit.
 */
export function chargeValue(work: TemplateWork, value: JsonValue, units: JsonUnits): void {
  work.charge(jsonWork(value, units, work.remaining));
}
