import type { KubeObject } from '../../../src/api/meta.ts';
import type { KindRef, ObjectKey } from '../../data/kind-ref.ts';

/** The id of a kind in the URL: `group/version/plural`, `/v1/configmaps` for the core group. */
export function kindId({ group, version, plural }: KindRef): string {
  return `${group}/${version}/${plural}`;
}

/** Finds the kind of a URL. Any version matches, as clusters are upgraded. */
export function findKind<Kind extends KindRef>(kinds: readonly Kind[], id: string | undefined): Kind | undefined {
  if (id === undefined) return undefined;
  const [group, , plural] = id.split('/');
  return (
    kinds.find((kind) => kindId(kind) === id) ?? kinds.find((kind) => kind.group === group && kind.plural === plural)
  );
}

/** The id of an object in the URL: `namespace/name`, or just the name for cluster-scoped objects. */
export function objectId({ metadata }: Pick<KubeObject, 'metadata'>): string {
  const { namespace = '', name = '' } = metadata;
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function parseObjectId(id: string): ObjectKey {
  const slash = id.indexOf('/');
  return slash < 0 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
