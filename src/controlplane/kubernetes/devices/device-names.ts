import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required, tooLong } from '../../../api/field-error.ts';
import { driverNameErrors } from '../rules/csi-rules.ts';
import { faultErrors } from '../rules/field-rules.ts';

const maxPoolLength = 253;
const maxIdLength = 32;
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const identifierDetail =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** Returns the errors of a DNS label: the name of a device, request or set of counters. */
export function labelErrors(name: string, path: string): FieldError[] {
  return faultErrors(path, name, labelFaults(name));
}

export function poolNameErrors(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  return [
    ...(name.length > maxPoolLength ? [tooLong(path, maxPoolLength)] : []),
    ...name.split('/').flatMap((part) => faultErrors(path, part, subdomainFaults(part))),
  ];
}

/** Returns the errors of the name of an attribute or capacity, such as `memory` or `example.com/memory`. */
export function qualifiedNameErrors(name: string, path: string): FieldError[] {
  const [first = '', second, ...more] = name.split('/');
  // Kubernetes accepts names with more than one slash.
  if (more.length > 0) return [];
  if (second === undefined) return identifierErrors(first, path);
  return [
    ...(first === '' ? [invalid(path, '', 'the domain must not be empty')] : driverNameErrors(first, path)),
    ...(second === '' ? [invalid(path, '', 'the name must not be empty')] : identifierErrors(second, path)),
  ];
}

/** Returns the errors of the name of an attribute with its domain. */
export function fullNameErrors(name: string, path: string): FieldError[] {
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...qualifiedNameErrors(name, path), ...(name.includes('/') ? [] : [invalid(path, name, detail)])];
}

function identifierErrors(id: string, path: string): FieldError[] {
  return [
    ...(id.length > maxIdLength ? [tooLong(path, maxIdLength)] : []),
    ...(identifier.test(id) ? [] : [invalid(path, id, identifierDetail)]),
  ];
}
