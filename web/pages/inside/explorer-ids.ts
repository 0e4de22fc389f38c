import type { KubeObject } from '../../../src/api/meta.ts';
import type { KindRef, ObjectKey } from '../../data/kind-ref.ts';

/** Returns the id of a kind for the URL: `group/version/plural`, for example `/v1/configmaps` in the core group. */
export function kindId({ group, version, plural }: KindRef): string {
  return `${group}/${version}/${plural}`;
}

/**
 * Finds the kind for an id from a URL. If the server does not serve the version in the id, returns the kind in another
 * version, because a link may be older than an upgrade of the cluster.
 */
export function findKind<Kind extends KindRef>(kinds: readonly Kind[], id: string | undefined): Kind | undefined {
  if (id === undefined) return undefined;
  const [group, , plural] = id.split('/');
  return (
    kinds.find((kind) => kindId(kind) === id) ?? kinds.find((kind) => kind.group === group && kind.plural === plural)
  );
}

/** Returns the id of an object for the URL: `namespace/name`, or only the name for a cluster-scoped object. */
export function objectId({ metadata }: Pick<KubeObject, 'metadata'>): string {
  const { namespace = '', name = '' } = metadata;
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function parseObjectId(id: string): ObjectKey {
  const slash = id.indexOf('/');
  return slash < 0 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
