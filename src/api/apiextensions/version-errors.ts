import { equalJson, type JsonValue } from '@flotilla/json';
import { duplicate, type FieldError, invalid, required, tooMany } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import type { DefinitionVersion, PrinterColumn, SchemaProps, SelectableField, Subresources } from './definition.ts';
import { invalidStruct } from './go-struct-form.ts';
import { maxPrinterColumns } from './printer-columns.ts';
import { resolveSchemaField } from './resolve-schema-field.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/**
 * Validates the printer columns of a version. A stored list (`before`) that already has too many columns may stay
 * unchanged.
 */
export function columnListErrors(
  columns: readonly PrinterColumn[],
  before: readonly PrinterColumn[] | undefined,
  path: string,
): FieldError[] {
  if (columns.length > maxPrinterColumns) {
    const isUnchanged = equalJson(before as JsonValue | undefined, columns as JsonValue);
    return isUnchanged ? [] : [tooMany(path, columns.length, maxPrinterColumns)];
  }
  return columns.flatMap((column, index) => columnErrors(column, indexPath(path, index)));
}

function columnErrors(column: PrinterColumn, path: string): FieldError[] {
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  const errors: FieldError[] = [];
  const oneOf = (allowed: readonly string[]) => `must be one of ${allowed.join(',')}`;
  if (name === '') errors.push(required(childPath(path, 'name')));
  if (type === '') errors.push(required(childPath(path, 'type'), oneOf(columnTypes)));
  else if (!columnTypes.includes(type)) errors.push(invalid(childPath(path, 'type'), type, oneOf(columnTypes)));
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(childPath(path, 'format'), format, oneOf(columnFormats)));
  }
  if (jsonPath === '') errors.push(required(childPath(path, 'JSONPath')));
  else errors.push(...simplePathErrors(jsonPath, childPath(path, 'JSONPath')));
  return errors;
}

function simplePathErrors(jsonPath: string, field: string): FieldError[] {
  return jsonPath.startsWith('.') ? [] : [invalid(field, jsonPath, 'must be a simple json path starting with .')];
}

export function subresourceErrors({ scale }: Subresources, path: string): FieldError[] {
  if (scale === undefined) return [];
  const errors: FieldError[] = [];
  const check = (member: 'specReplicasPath' | 'statusReplicasPath' | 'labelSelectorPath', roots: readonly string[]) => {
    const field = childPath(path, `scale.${member}`);
    const jsonPath = scale[member] ?? '';
    const wrong = simplePathErrors(jsonPath, field);
    const where = roots.length === 1 ? `under ${roots[0]}` : `under either ${roots.join(' or ')}`;
    if (wrong.length > 0) errors.push(...wrong);
    else if (!roots.some((root) => jsonPath.startsWith(`${root}.`))) {
      errors.push(invalid(field, jsonPath, `should be a json path ${where}`));
    }
  };
  const needed = (member: 'specReplicasPath' | 'statusReplicasPath', root: string) => {
    if ((scale[member] ?? '') === '') errors.push(required(childPath(path, `scale.${member}`)));
    else check(member, [root]);
  };
  needed('specReplicasPath', '.spec');
  needed('statusReplicasPath', '.status');
  if ((scale.labelSelectorPath ?? '') !== '') check('labelSelectorPath', ['.spec', '.status']);
  return errors;
}

const maxSelectableFields = 8;

/**
 * Validates the selectable fields of a version. `mayBeTooMany` allows more fields than the maximum. It is true if an
 * update does not change a list that already has too many fields.
 */
export function selectableFieldErrors(
  fields: readonly SelectableField[],
  schema: SchemaProps | undefined,
  path: string,
  mayBeTooMany: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const known = new Set<string>();
  fields.forEach(({ jsonPath = '' }, index) => {
    const field = childPath(indexPath(path, index), 'jsonPath');
    if (jsonPath === '') {
      errors.push(required(field));
      return;
    }
    const found = resolveSchemaField(jsonPath, schema ?? {}, false);
    if ('fault' in found) {
      errors.push(invalid(field, jsonPath, `is an invalid path: ${found.fault}`));
      return;
    }
    if (found.root === 'metadata') errors.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(field, jsonPath, detail));
    }
    if (known.has(found.path)) errors.push(duplicate(field, jsonPath));
    known.add(found.path);
  });
  if (known.size > maxSelectableFields && !mayBeTooMany) errors.push(tooMany(path, known.size, maxSelectableFields));
  return errors;
}

export function deprecationErrors({ deprecated, deprecationWarning }: DefinitionVersion, path: string): FieldError[] {
  const field = childPath(path, 'deprecationWarning');
  if (deprecationWarning === undefined) return [];
  if (deprecated !== true) return [invalidStruct(field, deprecationWarning, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  const bytes = new TextEncoder().encode(deprecationWarning).byteLength;
  if (bytes > 256) errors.push(invalidStruct(field, deprecationWarning, 'must be <= 256 characters long'));
  if (bytes === 0) errors.push(invalidStruct(field, deprecationWarning, 'must not be an empty string'));
  const odd = /[^\P{C}]|[^\P{Z} ]/u.exec(deprecationWarning);
  if (odd !== null) {
    const index = new TextEncoder().encode(deprecationWarning.slice(0, odd.index)).byteLength;
    const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
    errors.push(invalidStruct(field, deprecationWarning, detail));
  }
  return errors;
}
