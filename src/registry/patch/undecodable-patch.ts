import { type FieldError, invalid } from '../../api/field-error.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { invalidObject, type StatusError } from '../../api/status.ts';

/**
 * Returns the error for a patch whose result is not a valid object of the kind (rule PATCH-11) or fails strict decoding
 * (rule DEC-15). The error quotes `shown`, which is the patch or its result, unless objects of the kind are
 * confidential.
 */
export function undecodablePatch(
  kind: Pick<ResourceKind, 'confidential'>,
  shown: string,
  problem: string,
): StatusError {
  const error: FieldError =
    kind.confidential === true
      ? { type: 'FieldValueInvalid', field: 'patch', message: `Invalid value: ${problem}` }
      : invalid('patch', shown, problem);
  return invalidObject({ group: '', kind: '' }, '', [error]);
}

export function strictPatchError(
  kind: Pick<ResourceKind, 'confidential'>,
  shown: string,
  findings: readonly string[],
): StatusError {
  return undecodablePatch(kind, shown, `strict decoding error: ${findings.join(', ')}`);
}
