import type { KubeObject } from '../api/meta.ts';
import type { RequestContext } from './context.ts';
import type { StoredResource } from './resource.ts';
import type { DeleteOptions } from './verbs.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

const collectorFinalizers = [orphanFinalizer, foregroundFinalizer];

export function finalizersOf(object: KubeObject | undefined): readonly string[] {
  return object?.metadata.finalizers ?? [];
}

/** Those that hold the object until the collector has seen to its dependents. */
export function collectorFinalizersOf(object: KubeObject | undefined): readonly string[] {
  return finalizersOf(object).filter((name) => collectorFinalizers.includes(name));
}

/** What a delete with this policy leaves on the object (rules DELETE-13 to DELETE-17). */
export function finalizersForDelete(
  present: readonly string[],
  policy: DeleteOptions['propagationPolicy'],
): readonly string[] {
  if (policy === undefined) return present;
  const others = present.filter((name) => !collectorFinalizers.includes(name));
  if (policy === 'Background') return others;
  const wanted = policy === 'Orphan' ? orphanFinalizer : foregroundFinalizer;
  // One that is there already keeps its place, so that the same delete again changes nothing.
  return present.includes(wanted)
    ? present.filter((name) => name === wanted || others.includes(name))
    : [...others, wanted];
}

/** The server's finalizer is there from the start, and a client's write without it keeps it. */
export function keepFinalizer(
  resource: StoredResource,
  object: KubeObject,
  old: KubeObject | undefined,
  context: RequestContext,
): void {
  const kept = resource.keptFinalizer;
  if (kept === undefined || finalizersOf(object).includes(kept)) return;
  if (old === undefined) {
    object.metadata.finalizers = [...finalizersOf(object), kept];
  } else if (!context.system && finalizersOf(old).includes(kept)) {
    // Where it stood before, so that a write that changes nothing else changes nothing.
    const finalizers = [...finalizersOf(object)];
    finalizers.splice(Math.min(finalizersOf(old).indexOf(kept), finalizers.length), 0, kept);
    object.metadata.finalizers = finalizers;
  }
}

/** CREATE-28: a name without a domain may be somebody else's too. */
export function warnOfFinalizers(object: KubeObject, old: KubeObject | undefined, context: RequestContext): void {
  const known = finalizersOf(old);
  for (const name of finalizersOf(object)) {
    if (known.includes(name) || name.includes('/')) continue;
    if (collectorFinalizers.includes(name) || name === 'kubernetes') continue;
    const wish = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
    context.warn(
      `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified ${wish} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
