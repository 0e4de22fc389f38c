import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../registry/verbs.ts';
import { builtinRbacObjects } from './default-objects.ts';

/*
 * Most planes never change a default role or binding. Unchanged default objects are read from one list that all planes
 * share, so that no objects are built per plane. The shared objects do not contain the plane's own metadata.
 */

/** Returns the default RBAC objects of a kind. */
export function defaultRbacObjectsOf({ resource }: KindStore): readonly KubeObject[] {
  return builtinRbacObjects().filter(
    ({ apiVersion, kind }) => kind === resource.kind && parseApiVersion(apiVersion).group === resource.group,
  );
}

/** Returns an object that the caller must not modify. Unchanged default objects are shared by all planes. */
export function findSharedRbacObject(store: KindStore, namespace: string, name: string): KubeObject | undefined {
  const served = store.peek(namespace, name);
  if (served?.isUnchangedBuiltin !== true) return served?.object;
  return (
    defaultRbacObjectsOf(store).find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
    ) ?? served.object
  );
}

/** Returns all objects of the kind. The caller must not modify them, because all planes share the default objects. */
export function listSharedRbacObjects(store: KindStore): KubeObject[] {
  const builtins = defaultRbacObjectsOf(store).filter(
    ({ metadata }) => store.peek(metadata.namespace ?? '', metadata.name ?? '')?.isUnchangedBuiltin === true,
  );
  const own = store.peekAll().filter(({ isUnchangedBuiltin }: ServedObject) => isUnchangedBuiltin !== true);
  return [...builtins, ...own.map(peekWithoutManagedFields)];
}

/** True if the objects of the kind differ from the defaults, that is, any was created, changed or deleted. */
export function differsFromDefaults(store: KindStore): boolean {
  const defaults = defaultRbacObjectsOf(store);
  if (store.count() !== defaults.length) return true;
  return defaults.some(
    ({ metadata }) => store.peek(metadata.namespace ?? '', metadata.name ?? '')?.isUnchangedBuiltin !== true,
  );
}
