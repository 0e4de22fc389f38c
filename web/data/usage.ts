import { queryOptions } from '@tanstack/react-query';
import type { ListMeta } from '../../src/api/meta.ts';
import { StatusError } from '../../src/api/status.ts';
import type { ApiRoot } from './api-root.ts';
import { discoveryQuery, type ServedKind } from './discovery.ts';
import { collectionUrl } from './kind-ref.ts';
import { queryClient } from './query-client.ts';
import { sendJson } from './send.ts';

export interface ResourceCount {
  readonly kind: ServedKind;
  /** The plural of the kind for display, for example "ConfigMaps". */
  readonly title: string;
  readonly count: number;
}

/** The resources to count, in display order. Resources that the API server does not serve are omitted. */
const countedResources: readonly { readonly group: string; readonly plural: string; readonly title: string }[] = [
  { group: '', plural: 'namespaces', title: 'Namespaces' },
  { group: '', plural: 'nodes', title: 'Nodes' },
  { group: '', plural: 'pods', title: 'Pods' },
  { group: 'apps', plural: 'deployments', title: 'Deployments' },
  { group: 'apps', plural: 'statefulsets', title: 'StatefulSets' },
  { group: '', plural: 'services', title: 'Services' },
  { group: 'networking.k8s.io', plural: 'ingresses', title: 'Ingresses' },
  { group: '', plural: 'persistentvolumeclaims', title: 'PersistentVolumeClaims' },
  { group: '', plural: 'configmaps', title: 'ConfigMaps' },
  { group: '', plural: 'secrets', title: 'Secrets' },
  { group: '', plural: 'serviceaccounts', title: 'ServiceAccounts' },
  { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions', title: 'CustomResourceDefinitions' },
];

const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json';

/** Counts the objects of a kind with a list request of limit 1; `undefined` if the caller may not list them. */
async function count(root: ApiRoot, kind: ServedKind, signal: AbortSignal): Promise<number | undefined> {
  try {
    const url = `${collectionUrl(root, kind)}?limit=1`;
    const list = await sendJson<{ metadata: ListMeta; items?: unknown[] | null }>({ url, accept, signal });
    return (list.items?.length ?? 0) + (list.metadata.remainingItemCount ?? 0);
  } catch (error) {
    if (error instanceof StatusError && (error.code === 403 || error.code === 404)) return undefined;
    throw error;
  }
}

/** A query for the number of objects of each kind in a cluster. It is not refreshed automatically. */
export function usageQuery(root: ApiRoot) {
  return queryOptions({
    queryKey: ['usage', root],
    staleTime: 10_000,
    refetchOnReconnect: false,
    queryFn: async ({ signal }): Promise<readonly ResourceCount[]> => {
      const served = await queryClient.fetchQuery(discoveryQuery(root));
      const found = countedResources.flatMap(({ group, plural, title }) => {
        const kind = served.find((each) => each.group === group && each.plural === plural);
        return kind?.verbs.includes('list') === true ? [{ kind, title }] : [];
      });
      const counts = await Promise.all(found.map(({ kind }) => count(root, kind, signal)));
      return found.flatMap((each, index) => {
        const known = counts[index];
        return known === undefined ? [] : [{ ...each, count: known }];
      });
    },
  });
}
