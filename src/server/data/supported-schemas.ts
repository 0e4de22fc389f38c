import type { SchemaRange } from '../../replicas/store-schema.ts';

/**
 * The lowest and the highest version of the stored format that this program supports. A release that stores something
 * that the previous release cannot read raises the highest version. It writes the new format only after the store has
 * the new schema, and still reads the previous format. Schema 2 has encrypted rows.
 */
export const supportedSchemas: SchemaRange = [1, 2];

/** The first schema that may contain encrypted rows. */
export const encryptedRowsSchema = 2;
