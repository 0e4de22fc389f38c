import { StatusError } from '../../api/status.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { glanceAt, type Served } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';
import type { PlaneObjects } from '../upkeep/plane-objects.ts';
import type { Remains } from './namespace-conditions.ts';

/** Deletes that are under way together: they share the store's flushes. */
const together = 32;

/** Deletes everything in the namespace, of every kind that the plane has at the moment, and tells what is left. */
export async function deleteContents(plane: PlaneObjects, namespace: string): Promise<Remains> {
  const counts = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  const kinds = [...plane.stores()].filter(({ resource }) => resource.namespaced);
  for (const store of kinds.sort((a, b) => turnOf(a) - turnOf(b))) {
    try {
      await deleteAll(store, namespace);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  for (const store of kinds) {
    const { plural, group } = store.resource;
    const left = store.peekAll(namespace);
    if (left.length === 0) continue;
    counts.set(`${plural}.${group}`, left.length);
    for (const finalizer of left.flatMap((served) => glanceAt(served).metadata.finalizers ?? [])) {
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  }
  return { counts, finalizers, failures };
}

/**
 * Whoever works in the namespace keeps what it needs for that to the last: custom resources go before the configuration
 * of those who look after them, and the rights in the namespace after everything else.
 */
function turnOf({ resource }: KindStore): number {
  if (resource.builtIn !== true) return 0;
  if (resource.group === 'rbac.authorization.k8s.io') return 3;
  return resource.plural === 'serviceaccounts' ? 2 : 1;
}

async function deleteAll(store: KindStore, namespace: string): Promise<void> {
  const objects = store.peekAll(namespace);
  for (let at = 0; at < objects.length; at += together) {
    await Promise.all(objects.slice(at, at + together).map((served) => deleteOne(store, namespace, served)));
  }
}

async function deleteOne(store: KindStore, namespace: string, served: Served): Promise<void> {
  const { name = '', uid = '' } = glanceAt(served).metadata;
  try {
    await store.verbs.delete(systemContext(namespace), name, {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: 'Background',
      preconditions: { uid },
    });
  } catch (error) {
    // It is gone already, and another of its name may be there, which the next round sees.
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}
