import { type FieldError, invalid } from '../../api/field-error.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { invalidObject, type StatusError } from '../../api/status.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';

/**
 * The answer when a patch applied well but its result is no object of the kind (rule PATCH-11), or holds what strict
 * decoding forbids (rule DEC-15). It quotes the result, unless that may hold secrets.
 */
export function undecodablePatch(
  kind: Pick<ResourceKind, 'confidential'>,
  patched: JsonValue,
  problem: string,
): StatusError {
  const error: FieldError =
    kind.confidential === true
      ? { type: 'FieldValueInvalid', field: 'patch', message: `Invalid value: ${problem}` }
      : invalid('patch', writeJson(patched), problem);
  return invalidObject({ group: '', kind: '' }, '', [error]);
}

export function strictPatchError(
  kind: Pick<ResourceKind, 'confidential'>,
  patched: JsonValue,
  findings: readonly string[],
): StatusError {
  return undecodablePatch(kind, patched, `strict decoding error: ${findings.join(', ')}`);
}
