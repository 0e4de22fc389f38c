import { type FieldError, invalid, notSupported, required } from '../../../api/field-error.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

export function portNumberErrors(path: string, port: number): FieldError[] {
  return port >= 1 && port <= 65_535 ? [] : [invalid(path, port, 'must be between 1 and 65535, inclusive')];
}

export function protocolErrors(path: string, protocol: string): FieldError[] {
  if (protocol === '') return [required(path)];
  return protocols.includes(protocol) ? [] : [notSupported(path, protocol, protocols)];
}

const maxNameLength = 15;

/** Returns the errors of the name of a port, such as `https`. */
export function portNameErrors(path: string, name: string): FieldError[] {
  const faults = [
    ...(name.length > maxNameLength ? [`must be no more than ${maxNameLength} characters`] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
  return faults.map((fault) => invalid(path, name, fault));
}
