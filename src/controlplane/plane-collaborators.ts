import { parseApiVersion } from '../api/meta.ts';
import type { PlaneCallbacks } from '../registry/kind-runtime.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import { SelectorBudget } from '../registry/watch/selector-budget.ts';
import { OwnerTracker } from '../registry/write/owner-tracker.ts';
import type { Key } from '../store/key.ts';

type AdmissionCallbacks = Pick<PlaneCallbacks, 'admit' | 'completeNew' | 'isMutating' | 'mutate' | 'requeuedByUsage'>;

/**
 * The functions through which the kinds of a plane use other kinds of the plane: namespace checks, owner lookups and
 * admission. They always use the current kinds, even if kinds are added or removed at run time.
 */
export function planeCollaborators(
  kinds: ReadonlyMap<string, KindStore>,
  { admit, completeNew, isMutating, mutate, requeuedByUsage }: AdmissionCallbacks,
  bell?: Key,
): PlaneCallbacks {
  return {
    ownerTracker: new OwnerTracker(),
    selectorBudget: new SelectorBudget(),
    namespaceState: (namespace) => namespaceState(kinds, namespace),
    // The check fails if the namespace was changed, for example if its deletion has begun.
    namespaceCheck: (namespace) => kinds.get(namespacesKey)?.unchangedCheck('', namespace),
    waitsForEmptyNamespace(namespace) {
      const namespaces = kinds.get(namespacesKey);
      if (namespaces?.resource.needsReconcile === undefined) return undefined;
      const object = namespaces.peek('', namespace)?.object;
      if (object === undefined || !namespaces.resource.needsReconcile({ object })) return undefined;
      return { resource: namespacesKey, namespace: '', name: namespace };
    },
    resolveOwner(reference, namespace) {
      const { group } = parseApiVersion(reference.apiVersion);
      const store = storeOfKind(kinds, group, reference.kind);
      if (store === undefined || (store.resource.namespaced && namespace === '')) return undefined;
      const { plural, namespaced } = store.resource;
      const key = { namespace: namespaced ? namespace : '', name: reference.name };
      const uid = store.peek(key.namespace, key.name)?.object.metadata.uid;
      return { group, resource: plural, ...key, uid: uid ?? '' };
    },
    ...(admit === undefined ? {} : { admit }),
    ...(completeNew === undefined ? {} : { completeNew }),
    ...(isMutating === undefined ? {} : { isMutating }),
    ...(mutate === undefined ? {} : { mutate }),
    ...(bell === undefined ? {} : { bell }),
    ...(bell === undefined || requeuedByUsage === undefined ? {} : { requeuedByUsage }),
  };
}

function storeOfKind(kinds: ReadonlyMap<string, KindStore>, group: string, kind: string): KindStore | undefined {
  for (const store of kinds.values()) {
    if (store.resource.group === group && store.resource.kind === kind) return store;
  }
  return undefined;
}

const namespacesKey = resourceKey({ group: '', plural: 'namespaces' });

/** Returns the state of a namespace. If the plane does not have the kind Namespace, every namespace is active. */
function namespaceState(
  kinds: ReadonlyMap<string, KindStore>,
  namespace: string,
): 'active' | 'terminating' | 'missing' {
  const namespaces = kinds.get(namespacesKey);
  if (namespaces === undefined) return 'active';
  const found = namespaces.peek('', namespace)?.object;
  if (found === undefined) return 'missing';
  return found.metadata.deletionTimestamp === undefined ? 'active' : 'terminating';
}
