import type { KubeObject } from '../../api/meta.ts';
import type { RequestContext } from '../context.ts';
import type { StoredResource } from '../resource.ts';
import type { DeleteOptions } from '../verbs.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

const collectorFinalizers = [orphanFinalizer, foregroundFinalizer];

export function finalizersOf(object: KubeObject | undefined): readonly string[] {
  return object?.metadata.finalizers ?? [];
}

/** Returns the finalizers of an object that the garbage collector removes after it has processed the dependents. */
export function garbageCollectorFinalizersOf(object: KubeObject | undefined): readonly string[] {
  return finalizersOf(object).filter((name) => collectorFinalizers.includes(name));
}

/** Returns the finalizers of an object after a delete with this propagation policy (rules DELETE-13 to DELETE-17). */
export function finalizersForDelete(
  present: readonly string[],
  policy: DeleteOptions['propagationPolicy'],
): readonly string[] {
  if (policy === undefined) return present;
  const isOther = (name: string) => !collectorFinalizers.includes(name);
  if (policy === 'Background') return present.filter(isOther);
  const wanted = policy === 'Orphan' ? orphanFinalizer : foregroundFinalizer;
  // A finalizer that is already present keeps its position, so that a repeated delete changes nothing.
  return present.includes(wanted)
    ? present.filter((name) => name === wanted || isOther(name))
    : [...present.filter(isOther), wanted];
}

/** Adds the server finalizer to a new object. Restores it if an update by a client removes it. */
export function ensureServerFinalizer(
  resource: StoredResource,
  object: KubeObject,
  old: KubeObject | undefined,
  context: RequestContext,
): void {
  const serverFinalizer = resource.serverFinalizer;
  if (serverFinalizer === undefined || finalizersOf(object).includes(serverFinalizer)) return;
  if (old === undefined) {
    object.metadata.finalizers = [...finalizersOf(object), serverFinalizer];
  } else if (!context.system && finalizersOf(old).includes(serverFinalizer)) {
    // Puts the finalizer back at its old position, so that an update without other changes changes nothing.
    const finalizers = [...finalizersOf(object)];
    finalizers.splice(Math.min(finalizersOf(old).indexOf(serverFinalizer), finalizers.length), 0, serverFinalizer);
    object.metadata.finalizers = finalizers;
  }
}

/**
 * Warns about new finalizers whose name has no domain, because another component may use the same name (CREATE-28).
 */
export function warnAboutFinalizers(object: KubeObject, old: KubeObject | undefined, context: RequestContext): void {
  const names = finalizersOf(object);
  if (names.length === 0) return;
  const oldNames = new Set(finalizersOf(old));
  for (const name of names) {
    if (oldNames.has(name) || name.includes('/')) continue;
    if (collectorFinalizers.includes(name) || name === 'kubernetes') continue;
    const recommendation = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
    context.warn(
      `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified ${recommendation} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
