import { parseApiVersion } from '../api/meta.ts';
import type { Collaborators } from '../registry/kind-runtime.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import { OwnerTracker } from '../registry/write/owner-tracker.ts';

/**
 * Gives each kind of a plane access to the other kinds, including kinds that are added and removed while the plane is
 * open.
 */
export function planeCollaborators(
  kinds: ReadonlyMap<string, KindStore>,
  admit: Collaborators['admit'],
): Collaborators {
  return {
    ownerTracker: new OwnerTracker(),
    namespaceState: (namespace) => namespaceState(kinds, namespace),
    // A namespace whose deletion begins gets a new version, so this check also fails for it.
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
      const store = [...kinds.values()].find(
        ({ resource }) => resource.group === group && resource.kind === reference.kind,
      );
      if (store === undefined || (store.resource.namespaced && namespace === '')) return undefined;
      const { plural, namespaced } = store.resource;
      const key = { namespace: namespaced ? namespace : '', name: reference.name };
      const uid = store.peek(key.namespace, key.name)?.object.metadata.uid;
      return { group, resource: plural, ...key, uid: uid ?? '' };
    },
    ...(admit === undefined ? {} : { admit }),
  };
}

const namespacesKey = resourceKey({ group: '', plural: 'namespaces' });

/** The state of a namespace. In a plane without the kind Namespace every namespace is active. */
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
