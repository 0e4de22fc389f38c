import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { glanceAt, type Served } from '../../registry/verbs.ts';
import { standingRbacObjects } from './default-objects.ts';

/*
 * Most planes never change a default role or binding. Those that stand unchanged are read from the one list that all
 * planes share: nothing is made of them for each plane, neither at its load nor for its decisions. What is missing in
 * them is the plane's own metadata.
 */

/** The default objects of the store's kind. */
export function defaultsOf({ resource }: KindStore): readonly KubeObject[] {
  return standingRbacObjects().filter(
    ({ apiVersion, kind }) => kind === resource.kind && parseApiVersion(apiVersion).group === resource.group,
  );
}

/** The object at that place, to be looked at only. */
export function sharedObject(store: KindStore, namespace: string, name: string): KubeObject | undefined {
  const served = store.peek(namespace, name);
  if (served?.stands !== true) return served?.object;
  return (
    defaultsOf(store).find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace) ??
    served.object
  );
}

/** All objects of the kind, to be looked at only. */
export function sharedObjects(store: KindStore): KubeObject[] {
  const standing = defaultsOf(store).filter(
    ({ metadata }) => store.peek(metadata.namespace ?? '', metadata.name ?? '')?.stands === true,
  );
  const own = store.peekAll().filter(({ stands }: Served) => stands !== true);
  return [...standing, ...own.map(glanceAt)];
}

/** Whether somebody has made, changed or deleted anything of the kind. */
export function isTouched(store: KindStore): boolean {
  const defaults = defaultsOf(store);
  if (store.count() !== defaults.length) return true;
  return defaults.some(({ metadata }) => store.peek(metadata.namespace ?? '', metadata.name ?? '')?.stands !== true);
}
