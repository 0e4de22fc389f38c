import { byteLength, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import { isIp } from './ip-rules.ts';
import { regexMessage } from './regex-message.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const wildcardFormat = `\\*\\.${label}(\\.${label})*`;
const wildcardForm = new RegExp(`^${wildcardFormat}$`);
const maxLength = 253;

/** Returns the faults of a host name, which may start with a wildcard: `*.example.com`. */
export function hostFaults(host: string): string[] {
  if (!host.includes('*')) return subdomainFaults(host);
  const faults = byteLength(host) > maxLength ? [`must be no more than ${maxLength} characters`] : [];
  if (!wildcardForm.test(host)) {
    const rule =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    faults.push(regexMessage(rule, wildcardFormat, '*.example.com'));
  }
  return faults;
}

/** Returns the errors of the host name of a load balancer. */
export function balancerHostErrors(path: string, host: string): FieldError[] {
  if (host === '') return [];
  return [
    ...subdomainFaults(host).map((fault) => invalid(path, host, fault)),
    ...(isIp(host) ? [invalid(path, host, 'must be a DNS name, not an IP address')] : []),
  ];
}
