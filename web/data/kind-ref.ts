import { apiVersionOf } from '../../src/api/meta.ts';
import { managementGroup, managementVersion } from '../../src/api/naming.ts';
import type { ApiRoot } from './api-root.ts';

/** The part of a kind that URLs and permission checks need. */
export interface KindRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

function managementKind(kind: string, plural: string, namespaced = false): KindRef {
  return { group: managementGroup, version: managementVersion, kind, plural, namespaced };
}

export const kinds = {
  instance: managementKind('VirtualClusterInstance', 'virtualclusterinstances', true),
  project: managementKind('Project', 'projects'),
  cluster: managementKind('Cluster', 'clusters'),
  template: managementKind('VirtualClusterTemplate', 'virtualclustertemplates'),
  user: managementKind('User', 'users'),
  team: managementKind('Team', 'teams'),
  ownedKey: managementKind('OwnedAccessKey', 'ownedaccesskeys'),
  accessKey: managementKind('AccessKey', 'accesskeys'),
  self: managementKind('Self', 'selves'),
  event: { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
} as const satisfies Record<string, KindRef>;

export interface ObjectPlace {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function collectionUrl(root: ApiRoot, kind: KindRef, namespace?: string): string {
  const group = `${root}${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;
  const below =
    kind.namespaced && namespace !== undefined && namespace !== ''
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  return `${group}${below}/${kind.plural}`;
}

export function objectUrl(root: ApiRoot, kind: KindRef, place: ObjectPlace, subresource?: string): string {
  const url = `${collectionUrl(root, kind, place.namespace)}/${encodeURIComponent(place.name)}`;
  return subresource === undefined ? url : `${url}/${subresource}`;
}

/** Builds a query string from the members that have a value. */
export function queryText(members: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) pairs.append(name, String(value));
  return pairs.size === 0 ? '' : `?${pairs}`;
}
