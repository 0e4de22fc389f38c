import type { JsonUnits } from '@flotilla/work-meter';

/**
 * The work of `yamlText`. A unit takes less than 10 nanoseconds. The nesting is limited, because the writer is recursive
 * and each level copies the text of all levels below it.
 */
export const yamlUnits: JsonUnits = {
  perScalar: 500,
  perContainer: 500,
  perMember: 40,
  perCharacter: 8,
  perEscape: 32,
  perLevel: 20,
  isSorted: true,
  maxDepth: 100,
};
