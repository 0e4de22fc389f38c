import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required, tooLong } from '../field-error.ts';
import type { ManagedFieldsEntry } from '../meta.ts';
import { validateFieldManager } from './options.ts';

const subresourceBytes = 256;

/**
 * Validates managedFields (rule SSA-31). The entries come from clients, so members that are required in the type may be
 * missing.
 */
export function validateManagedFields(entries: readonly ManagedFieldsEntry[], field: string): FieldError[] {
  return entries.flatMap((entry: Partial<ManagedFieldsEntry>, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const operation: string = entry.operation ?? '';
    if (operation === '') errors.push(required(`${at}.operation`, 'must not be empty'));
    else if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(notSupported(`${at}.operation`, operation, ['Apply', 'Update']));
    }
    const fieldsType: string = entry.fieldsType ?? '';
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalid(`${at}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(entry.manager ?? '', `${at}.manager`));
    if (byteLength(entry.subresource ?? '') > subresourceBytes) {
      errors.push(tooLong(`${at}.subresource`, subresourceBytes));
    }
    return errors;
  });
}
