import { queryOptions } from '@tanstack/react-query';
import type { ListMeta } from '../../src/api/meta.ts';
import { StatusError } from '../../src/api/status.ts';
import type { ApiRoot } from './api-root.ts';
import { discoveryQuery, type ServedKind } from './discovery.ts';
import { collectionUrl } from './kind-ref.ts';
import { queryClient } from './query-client.ts';
import { sendJson } from './send.ts';

export interface KindCount {
  readonly kind: ServedKind;
  /** "Config maps" */
  readonly title: string;
  readonly count: number;
}

/** What tells how much a cluster is used, in this order; those that it does not have are left out. */
const counted: readonly { readonly group: string; readonly plural: string; readonly title: string }[] = [
  { group: '', plural: 'namespaces', title: 'Namespaces' },
  { group: '', plural: 'nodes', title: 'Nodes' },
  { group: '', plural: 'pods', title: 'Pods' },
  { group: 'apps', plural: 'deployments', title: 'Deployments' },
  { group: 'apps', plural: 'statefulsets', title: 'Stateful sets' },
  { group: '', plural: 'services', title: 'Services' },
  { group: 'networking.k8s.io', plural: 'ingresses', title: 'Ingresses' },
  { group: '', plural: 'persistentvolumeclaims', title: 'Volume claims' },
  { group: '', plural: 'configmaps', title: 'Config maps' },
  { group: '', plural: 'secrets', title: 'Secrets' },
  { group: '', plural: 'serviceaccounts', title: 'Service accounts' },
  { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions', title: 'Custom kinds' },
];

const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json';

/** How many there are, by asking for one of them; undefined for what one may not list. */
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

/** How much there is behind an API server, by kind. Asked once, when it is looked at, and not again by itself. */
export function usageQuery(root: ApiRoot) {
  return queryOptions({
    queryKey: ['usage', root],
    staleTime: 10_000,
    refetchOnReconnect: false,
    // What fell asleep meanwhile is not woken by trying again.
    retry: false,
    queryFn: async ({ signal }): Promise<readonly KindCount[]> => {
      const served = await queryClient.fetchQuery(discoveryQuery(root));
      const found = counted.flatMap(({ group, plural, title }) => {
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
