import type { JsonUnits } from '@flotilla/work-meter';

/**
 * The work of writing or comparing a value for a cell of a table. The factors were measured, so that one unit takes
 * about 20 nanoseconds for every type of value.
 */
export const cellUnits: JsonUnits = { perScalar: 3, perContainer: 12, perMember: 6, perCharacter: 1 / 8 };
