import { t } from '../../schema/schema-builder.ts';

/**
 * The maximum lengths of texts that are only shown to people. The texts must be short, because every list response
 * contains them and every write of an object stores them again.
 */
export const maxDisplayNameLength = 256;
const maxDescriptionLength = 16_384;

export const displayNameSchema = t.string({ description: 'Human-readable name.', maxLength: maxDisplayNameLength });

/** The schema of `spec.description`. `purpose` describes the text in the API documentation. */
export function descriptionSchema(purpose: string) {
  return t.string({ description: purpose, maxLength: maxDescriptionLength });
}
