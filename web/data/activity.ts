import { useInfiniteQuery } from '@tanstack/react-query';
import type { ActivityRecord } from '../../src/api/management/v1/notifications/activity-record.ts';
import type { ListMeta } from '../../src/api/meta.ts';
import { managementRoot } from './api-root.ts';
import { collectionUrl, type KindRef, kinds, queryText } from './kind-ref.ts';
import { sendJson } from './send.ts';

/** The records to show: of one object, of one namespace, or all that the user may see. */
export interface ActivityQuery {
  readonly namespace?: string;
  readonly about?: { readonly kind: KindRef; readonly name: string };
}

interface ActivityPage {
  readonly metadata: ListMeta;
  readonly items: readonly ActivityRecord[] | null;
}

const pageSize = 50;
const refreshMs = 15_000;

/** Returns activity records, newest first, loaded page by page. The first page is loaded again every 15 seconds. */
export function useActivity({ namespace, about }: ActivityQuery) {
  const fieldSelector =
    about === undefined ? undefined : `involvedObject.kind=${about.kind.kind},involvedObject.name=${about.name}`;
  return useInfiniteQuery({
    queryKey: ['activity', namespace, fieldSelector],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }): Promise<ActivityPage> => {
      const query = queryText({ limit: pageSize, fieldSelector, continue: pageParam === '' ? undefined : pageParam });
      return await sendJson<ActivityPage>({
        url: `${collectionUrl(managementRoot, kinds.activity, namespace)}${query}`,
        signal,
      });
    },
    getNextPageParam: ({ metadata }) => metadata.continue,
    // Loading all pages again would take as many requests as the user has loaded pages.
    refetchInterval: ({ state: { data } }): number | false => ((data?.pages.length ?? 0) > 1 ? false : refreshMs),
  });
}
