import type { MountedResource } from '../../registry/mounted-resource.ts';

export interface ServedGroup {
  /** The name of the API group; empty for the core group. */
  readonly name: string;
  /** The versions of the group, the preferred version first. */
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly MountedResource[];
}

/** Sorts resources into API groups and versions. Groups keep the order of the resources; versions follow DISC-09. */
export function servedGroups(resources: readonly MountedResource[]): ServedGroup[] {
  const groups = new Map<string, Map<string, MountedResource[]>>();
  for (const resource of resources) {
    const { group, version } = resource.kind;
    const versions = groups.get(group) ?? new Map<string, MountedResource[]>();
    groups.set(group, versions);
    const served = versions.get(version) ?? [];
    served.push(resource);
    versions.set(version, served);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, served]) => ({ group: name, version, resources: served }))
      .sort((a, b) => compareVersions(a.version, b.version)),
  }));
}

/**
 * Compares two API versions in the order of preference (rule DISC-09): v2, v1, v2beta1, v1beta2, v1alpha1. Versions in
 * any other format follow in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const ranks = [rankOf(a), rankOf(b)] as const;
  for (let place = 0; place < 3; place++) {
    const difference = (ranks[1][place] ?? 0) - (ranks[0][place] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankOf(version: string): readonly number[] {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
