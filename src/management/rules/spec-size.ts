import { type JsonValue, writeJson } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';

/**
 * Returns an error for a spec whose JSON has more than `maxLength` characters, unless the write does not make it
 * longer.
 */
export function specSizeErrors(
  spec: JsonValue | undefined,
  old: JsonValue | undefined,
  maxLength: number,
): FieldError[] {
  const length = lengthOf(spec);
  if (length <= maxLength || length <= lengthOf(old)) return [];
  return [forbiddenField('spec', `may have at most ${maxLength} characters of JSON, but has ${length}`)];
}

function lengthOf(spec: JsonValue | undefined): number {
  return spec === undefined ? 0 : writeJson(spec).length;
}
