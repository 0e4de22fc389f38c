import { invalid } from '../../api/field-error.ts';
import { invalidObject, type StatusError } from '../../api/status.ts';

/**
 * The answer when a patch applied well but its result is no object of the kind (rule PATCH-11), or holds what strict
 * decoding forbids (rule DEC-15). `patched` is the result as compact JSON.
 */
export function undecodablePatch(patched: string, problem: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', patched, problem)]);
}

export function strictPatchError(patched: string, findings: readonly string[]): StatusError {
  return undecodablePatch(patched, `strict decoding error: ${findings.join(', ')}`);
}
