import { goQuote } from '@flotilla/go-text';
import { byteLength, labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required, tooLong } from '../../../../api/field-error.ts';

const maxDomainBytes = 253;
/** The maximum length of a signer name: a domain, a slash, a label, a dot and a subdomain. */
const maxSignerBytes = maxDomainBytes + 1 + (63 + 1 + 253);

/** Returns the errors of the first invalid label in a dotted part of a signer name. */
function partErrors(part: string, path: string, faults: (text: string) => readonly string[]): FieldError[] {
  for (const label of part.split('.')) {
    const found = faults(label);
    if (found.length > 0) {
      return found.map((fault) => invalid(path, part, `validating label ${goQuote(label)}: ${fault}`));
    }
  }
  return [];
}

/** Returns the errors of the name of a signer: `example.com/signer`. */
export function signerNameErrors(path: string, name: string): FieldError[] {
  if (name === '') return [required(path)];
  const [domain = '', signer = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0) {
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  }
  return [
    ...(byteLength(domain) > maxDomainBytes ? [tooLong(path, maxDomainBytes)] : []),
    ...partErrors(domain, path, labelFaults),
    ...(domain.includes('.')
      ? []
      : [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...partErrors(signer, path, subdomainFaults),
    ...(byteLength(name) > maxSignerBytes ? [tooLong(path, maxSignerBytes)] : []),
  ];
}

/** True for a signer of Kubernetes itself. */
export function isKubernetesSigner(name: string): boolean {
  const host = name.split('/', 1)[0] ?? '';
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}
