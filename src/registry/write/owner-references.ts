import { writeJson } from '@flotilla/json';
import { type FieldError, invalid } from '../../api/field-error.ts';
import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime, ResolvedOwner } from '../kind-runtime.ts';

export function ownersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

/** Removes duplicate owner references and adds a warning for each (CREATE-27, OWNER-05). */
export function dropDuplicateOwners(object: KubeObject, context: RequestContext): void {
  const references = ownersOf(object);
  if (references.length < 2) return;
  const kept: OwnerReference[] = [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const reference of references) {
    const text = writeJson(reference);
    if (seen.has(text)) repeated.add(reference.uid);
    else kept.push(reference);
    seen.add(text);
  }
  if (repeated.size === 0) return;
  object.metadata.ownerReferences = kept;
  context.warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  );
}

/**
 * Returns a field error for each new owner reference with blockOwnerDeletion if the caller may not delete the owner
 * (completions §2.2). References that already had blockOwnerDeletion are not checked again.
 */
export function blockOwnerDeletionErrors(
  kind: KindRuntime,
  context: RequestContext,
  object: KubeObject,
  old: KubeObject | undefined,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  if (context.system || !ownersOf(object).some((reference) => reference.blockOwnerDeletion === true)) return [];
  // Skips the permission checks if there are too many references. Validation reports the excess number as an error
  // anyway.
  if (ownersOf(object).length > Math.max(kind.limits.ownerReferences, ownersOf(old).length)) return [];
  return newBlockErrors(kind, context, object, old);
}

/**
 * The number of owners that are checked before other requests run. One check reads all rules of the caller, which takes
 * about a millisecond for tens of thousands of rules.
 */
const checksPerTick = 20;

async function newBlockErrors(
  kind: KindRuntime,
  context: RequestContext,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const before = new Set(blockingOwners(old).map((reference) => reference.uid));
  let checks = 0;
  for (const [index, reference] of ownersOf(object).entries()) {
    if (reference.blockOwnerDeletion !== true || before.has(reference.uid)) continue;
    if (++checks % checksPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
    const owner = kind.planeCallbacks.resolveOwner(reference, object.metadata.namespace ?? '');
    const field = `metadata.ownerReferences[${index}].blockOwnerDeletion`;
    if (owner === undefined) {
      errors.push(
        invalid(
          field,
          true,
          `cannot set blockOwnerDeletion in this case because the owner's kind is not known: ${reference.apiVersion} ${reference.kind}`,
        ),
      );
      continue;
    }
    if (await mayDelete(context, owner, reference)) continue;
    errors.push(
      invalid(field, true, "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't delete"),
    );
  }
  return errors;
}

/**
 * True if the caller may delete the owner that a reference identifies by uid. If the owner's name now belongs to an
 * object with another uid, the permission to delete that name is not sufficient, and the caller must be allowed to
 * delete objects of any name.
 */
async function mayDelete(context: RequestContext, owner: ResolvedOwner, reference: OwnerReference): Promise<boolean> {
  const { uid, ...attributes } = owner;
  if (!(await context.may({ verb: 'delete', ...attributes }))) return false;
  return uid === undefined || uid === reference.uid || (await context.may({ verb: 'delete', ...attributes, name: '' }));
}

export function blockingOwners(object: KubeObject | undefined): readonly OwnerReference[] {
  return ownersOf(object).filter((reference) => reference.blockOwnerDeletion === true);
}
