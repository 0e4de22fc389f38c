import { createTemplateMeter, templateSyntaxError } from '@flotilla/go-template';
import { isJsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../api/schema/field-path.ts';

/**
 * Reports the strings of a definition whose template expressions have syntax errors, with the position of the error.
 * All strings together have the limit of work with which the definition is rendered later.
 */
export function templateSyntaxErrors(
  value: JsonValue | undefined,
  field: string,
  meter = createTemplateMeter(),
): FieldError[] {
  if (typeof value === 'string') {
    const fault = templateSyntaxError(value, meter);
    return fault === undefined ? [] : [invalid(field, '', `invalid template: ${fault.message}`)];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => templateSyntaxErrors(item, indexPath(field, index), meter));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    templateSyntaxErrors(member, memberPath(field, name), meter),
  );
}

/** Returns the path of a member. Keys of labels and annotations are put in brackets. */
function memberPath(field: string, name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? childPath(field, name) : keyPath(field, name);
}
