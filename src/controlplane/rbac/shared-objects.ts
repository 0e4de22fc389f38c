import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../registry/verbs.ts';
import { builtinRbacObjects } from './default-objects.ts';

/*
 * Most planes never change a default role or binding. Unchanged ones are read from the one list that all planes share:
 * nothing is built per plane, neither on load nor for decisions. These objects lack the plane's own metadata.
 */

/** The default objects of the store's kind. */
export function defaultsOf({ resource }: KindStore): readonly KubeObject[] {
  return builtinRbacObjects().filter(
    ({ apiVersion, kind }) => kind === resource.kind && parseApiVersion(apiVersion).group === resource.group,
  );
}

/** The object of that namespace and name, read-only. */
export function sharedObject(store: KindStore, namespace: string, name: string): KubeObject | undefined {
  const served = store.peek(namespace, name);
  if (served?.isUnchangedBuiltin !== true) return served?.object;
  return (
    defaultsOf(store).find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace) ??
    served.object
  );
}

/** All objects of the kind, read-only. */
export function sharedObjects(store: KindStore): KubeObject[] {
  const builtins = defaultsOf(store).filter(
    ({ metadata }) => store.peek(metadata.namespace ?? '', metadata.name ?? '')?.isUnchangedBuiltin === true,
  );
  const own = store.peekAll().filter(({ isUnchangedBuiltin }: ServedObject) => isUnchangedBuiltin !== true);
  return [...builtins, ...own.map(peekWithoutManagedFields)];
}

/** Reports whether any object of the kind was created, changed or deleted. */
export function isModified(store: KindStore): boolean {
  const defaults = defaultsOf(store);
  if (store.count() !== defaults.length) return true;
  return defaults.some(
    ({ metadata }) => store.peek(metadata.namespace ?? '', metadata.name ?? '')?.isUnchangedBuiltin !== true,
  );
}
