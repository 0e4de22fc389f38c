import { createHash } from 'node:crypto';
import type { JsonObject } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ServedGroup, ServedVersion } from './served-groups.ts';
import { discoveryVerbsOf, subresourceVerbsOf } from './verbs.ts';

/** Returns the discovery document at `/api` (rule DISC-01). */
export function apiVersions(core: ServedGroup, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: core.versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** Returns the discovery document at `/apis` (rule DISC-02). */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
}

/** Returns the discovery document at `/apis/<group>` (rule DISC-03). */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

function describeGroup(group: ServedGroup): JsonObject {
  const versions = group.versions.map(({ version }) => ({ groupVersion: `${group.name}/${version}`, version }));
  return { name: group.name, versions, preferredVersion: versions[0] ?? {} };
}

/** Returns the discovery document at `/apis/<group>/<version>` or `/api/v1` (rules DISC-04 to DISC-08). */
export function apiResourceList(served: ServedVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(served),
    resources: served.resources.flatMap((resource) => [describeResource(resource), ...describeSubresources(resource)]),
  };
}

function describeResource({ kind, verbs, unlisted }: MountedResource): JsonObject {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: discoveryVerbsOf({ kind, verbs, ...(unlisted === undefined ? {} : { unlisted }) }),
    ...(kind.shortNames === undefined ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories === undefined ? {} : { categories: [...kind.categories] }),
    // A resource without the list verb, such as a review, is never stored and has no storage version.
    ...(verbs.list === undefined ? {} : { storageVersionHash: storageVersionHash(kind) }),
  };
}

function describeSubresources({ kind, subresources }: MountedResource): JsonObject[] {
  return Object.entries(subresources).map(([name, subresource]) => {
    const own = subresource.kind.group === kind.group && subresource.kind.version === kind.version;
    return {
      name: `${kind.plural}/${name}`,
      singularName: '',
      namespaced: kind.namespaced,
      ...(own ? {} : { group: subresource.kind.group, version: subresource.kind.version }),
      kind: subresource.kind.kind,
      verbs: subresourceVerbsOf(subresource),
    };
  });
}

/** Returns a hash of the version in which objects of the kind are stored (rule DISC-08). */
export function storageVersionHash({
  group,
  version,
  storageVersion = version,
  kind,
}: Pick<ResourceKind, 'group' | 'version' | 'storageVersion' | 'kind'>): string {
  return createHash('sha256').update(`${group}/${storageVersion}/${kind}`).digest().subarray(0, 8).toString('base64');
}
