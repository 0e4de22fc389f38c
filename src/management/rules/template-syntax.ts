import { type FieldError, invalid } from '../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../api/schema/field-path.ts';
import { templateFault } from '../../lib/go-template/render.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';

/** Every text of a definition may be a template: those that could never be rendered are refused, with the place. */
export function templateSyntaxErrors(value: JsonValue | undefined, field: string): FieldError[] {
  if (typeof value === 'string') {
    const fault = templateFault(value);
    return fault === undefined ? [] : [invalid(field, '', `is not a template that can be rendered: ${fault.message}`)];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => templateSyntaxErrors(item, indexPath(field, index)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => templateSyntaxErrors(member, memberPath(field, name)));
}

/** Names of labels and annotations are no names of fields. */
function memberPath(field: string, name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? childPath(field, name) : keyPath(field, name);
}
