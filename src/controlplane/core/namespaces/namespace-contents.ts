import { StatusError } from '../../../api/status.ts';
import type { RequestContext } from '../../../registry/context.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../../registry/verbs.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import type { PlaneStores } from '../../maintenance/plane-stores.ts';
import { systemContext } from '../../system-context.ts';
import type { RemainingContents } from './namespace-conditions.ts';

/** The maximum number of concurrent deletes. Concurrent deletes share flushes of the store to disk. */
const concurrency = 32;

/**
 * The maximum number of objects that one call deletes. All planes share the slots for maintenance. Without this limit,
 * a tenant with large namespaces would delay other tenants for minutes.
 */
const maxDeletes = 256;

/**
 * Deletes the objects in a namespace, of every kind of the plane. Returns the objects that still exist; `undefined` if
 * one call cannot delete all objects, so another call is needed. `fence` is the check for all deletes
 * (`RequestContext.fence`).
 */
export async function deleteNamespaceContents(
  plane: Pick<PlaneStores, 'stores'>,
  namespace: string,
  fence?: RevisionCheck,
): Promise<RemainingContents | undefined> {
  const counts = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  const kinds = [...plane.stores()].filter(({ resource }) => resource.namespaced);
  let left = maxDeletes;
  for (const store of kinds.sort((a, b) => deletionOrder(a) - deletionOrder(b))) {
    const objects = store.peekAll(namespace);
    const present = objects.filter(
      (served) => peekWithoutManagedFields(served).metadata.deletionTimestamp === undefined,
    );
    const isLast = present.length > left;
    try {
      await deleteAll(store, systemContext(namespace, undefined, fence), isLast ? present.slice(0, left) : objects);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
      continue;
    }
    if (isLast) return undefined;
    left -= present.length;
  }
  for (const store of kinds) {
    const { plural, group } = store.resource;
    const remaining = store.peekAll(namespace);
    if (remaining.length === 0) continue;
    counts.set(`${plural}.${group}`, remaining.length);
    for (const finalizer of remaining.flatMap((served) => peekWithoutManagedFields(served).metadata.finalizers ?? [])) {
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  }
  return { counts, finalizers, failures };
}

/**
 * Returns the position of a kind in the deletion order; kinds with lower numbers are deleted first. Custom resources
 * are first and RBAC objects last, because controllers in the namespace need their permissions to finalize their custom
 * resources.
 */
function deletionOrder({ resource }: KindStore): number {
  if (resource.builtIn !== true) return 0;
  if (resource.group === 'rbac.authorization.k8s.io') return 3;
  return resource.plural === 'serviceaccounts' ? 2 : 1;
}

async function deleteAll(store: KindStore, context: RequestContext, objects: readonly ServedObject[]): Promise<void> {
  for (let at = 0; at < objects.length; at += concurrency) {
    await Promise.all(objects.slice(at, at + concurrency).map((served) => deleteOne(store, context, served)));
  }
}

async function deleteOne(store: KindStore, context: RequestContext, served: ServedObject): Promise<void> {
  const { name = '', uid = '' } = peekWithoutManagedFields(served).metadata;
  try {
    await store.verbs.delete(context, name, {
      dryRun: false,
      // Use no grace period, because no component runs the pods of a plane and would end the grace period.
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
      preconditions: { uid },
    });
  } catch (error) {
    // Ignore 404 and 409, because another request has deleted the object. If a new object with this name exists, the
    // next pass deletes the new object.
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}
