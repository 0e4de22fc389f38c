import { queryOptions } from '@tanstack/react-query';
import type { ApiRoot } from './api-root.ts';
import type { KindRef } from './kind-ref.ts';
import { sendJson } from './send.ts';

/** A kind that an API server serves. */
export interface ServedKind extends KindRef {
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  /** The categories of the resource, such as `all`. Absent if there are none. */
  readonly categories?: readonly string[];
}

/** The formats of aggregated discovery to request. Kubernetes before 1.30 supports only v2beta1. */
const accept = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(', ');

type WireResource = {
  resource: string;
  responseKind?: { group?: string; version?: string; kind?: string } | null;
  scope?: string;
  verbs?: string[] | null;
  shortNames?: string[] | null;
  categories?: string[] | null;
};

/** The fields of `APIGroupDiscoveryList` that the console reads. */
export type WireDiscovery = {
  items?:
    | {
        metadata?: { name?: string };
        versions?: { version: string; resources?: WireResource[] | null }[] | null;
      }[]
    | null;
};

/**
 * Returns each kind once. If several versions of a group serve the kind, returns it in the version that the group
 * prefers.
 */
export function readDiscovery({ items }: WireDiscovery): readonly ServedKind[] {
  return (items ?? []).flatMap(({ metadata, versions }) => {
    const group = metadata?.name ?? '';
    const byPlural = new Map<string, ServedKind>();
    for (const { version, resources } of versions ?? []) {
      for (const { resource, responseKind, scope, verbs, shortNames, categories } of resources ?? []) {
        if (byPlural.has(resource)) continue;
        byPlural.set(resource, {
          group,
          version,
          kind: responseKind?.kind ?? resource,
          plural: resource,
          namespaced: scope === 'Namespaced',
          verbs: verbs ?? [],
          shortNames: shortNames ?? [],
          ...(categories == null ? {} : { categories }),
        });
      }
    }
    return [...byPlural.values()];
  });
}

/** A query for the kinds that an API server serves. */
export function discoveryQuery(root: ApiRoot) {
  return queryOptions({
    queryKey: ['discovery', root],
    staleTime: 30_000,
    refetchOnReconnect: false,
    queryFn: async ({ signal }): Promise<readonly ServedKind[]> => {
      const [core, groups] = await Promise.all(
        ['api', 'apis'].map((path) => sendJson<WireDiscovery>({ url: `${root}/${path}`, accept, signal })),
      );
      return [...readDiscovery(core ?? {}), ...readDiscovery(groups ?? {})];
    },
  });
}
