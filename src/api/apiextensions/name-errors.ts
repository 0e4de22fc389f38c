import { dns1035LabelFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import type { DefinitionNames } from './definition.ts';

/** Reports required names that are missing. The defaults of singular and listKind must be applied before the call. */
export function missingNameErrors(names: DefinitionNames, path: string): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((member) => (names[member] ?? '') === '')
    .map((member) => required(childPath(path, member)));
}

/** Reports names with an invalid format. */
export function nameErrors(names: DefinitionNames, path: string): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const errors: FieldError[] = [];
  const label = (field: string, name: string) => {
    const faults = dns1035LabelFaults(name);
    if (faults.length > 0) errors.push(invalid(field, name, faults.join(',')));
  };
  const mixedCase = (field: string, name: string) => {
    const faults = dns1035LabelFaults(name.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
    if (faults.length > 0) errors.push(invalid(field, name, detail));
  };
  if (plural !== '') label(childPath(path, 'plural'), plural);
  if (singular !== '') label(childPath(path, 'singular'), singular);
  if (kind !== '') mixedCase(childPath(path, 'kind'), kind);
  if (listKind !== '') mixedCase(childPath(path, 'listKind'), listKind);
  shortNames.forEach((name, index) => void label(indexPath(childPath(path, 'shortNames'), index), name));
  if (kind !== '' && kind === listKind) {
    errors.push(invalid(childPath(path, 'listKind'), listKind, 'kind and listKind may not be the same'));
  }
  categories.forEach((name, index) => void label(indexPath(childPath(path, 'categories'), index), name));
  return errors;
}
