import { type FieldError, invalid, required, tooMany } from '../field-error.ts';
import type { OwnerReference } from '../meta.ts';

/**
 * The maximum number of owner references of an object. Kubernetes has no limit, but each owner requires a row in the
 * owner index, a permission check and a lookup by the garbage collector. This takes about 0.1 ms per owner, of which a
 * fifth is on the main thread.
 */
export const maxOwnerReferences = 200;

/**
 * The maximum number of owner references of an object in etcd, which accepts 128 operations in a transaction. Removing
 * an object takes up to two operations per owner, and a few for the object itself. The rest is a reserve.
 */
export const maxOwnerReferencesInEtcd = 30;

/**
 * The maximum total length of the errors about several controllers, in characters. Each of these errors contains all
 * references, so the errors for a list of hundreds of controllers would take megabytes.
 */
const maxControllerErrorCharacters = 100_000;

/**
 * Validates owner references (rules OWNER-01 to OWNER-03). Does not check whether the owners exist. `oldCount` is the
 * number of owners before an update: a list that is already longer than `limit` may become shorter.
 */
export function validateOwnerReferences(
  references: readonly OwnerReference[],
  field: string,
  oldCount = 0,
  limit = maxOwnerReferences,
): FieldError[] {
  if (references.length > Math.max(limit, oldCount)) return [tooMany(field, references.length, limit)];
  const errors: FieldError[] = [];
  let controller = '';
  let charactersLeft = maxControllerErrorCharacters;
  for (const [index, reference] of references.entries()) {
    errors.push(...validateReference(reference, `${field}[${index}]`));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = name;
      continue;
    }
    if (charactersLeft <= 0) continue;
    const found = `Found "true" in references for ${controller} and ${name}`;
    const error = invalid(field, [...references], `Only one reference can have Controller set to true. ${found}`);
    charactersLeft -= error.message.length;
    errors.push(error);
  }
  return errors;
}

function validateReference(reference: OwnerReference, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind', 'name', 'uid'] as const) {
    if (reference[name] === '') errors.push(required(`${field}.${name}`, 'must not be empty'));
    else if (name === 'apiVersion' && !isGroupVersion(reference.apiVersion)) {
      const detail = 'must be <group>/<version> or <version>';
      errors.push(invalid(`${field}.apiVersion`, reference.apiVersion, detail));
    }
  }
  if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(invalid(field, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function isGroupVersion(text: string): boolean {
  const parts = text.split('/');
  return parts.length <= 2 && parts.at(-1) !== '';
}
