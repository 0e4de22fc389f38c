import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ActivityRecord } from '../../src/api/management/v1/notifications/activity-record.ts';
import type { ListMeta } from '../../src/api/meta.ts';
import { managementRoot } from './api-root.ts';
import { collectionUrl, type KindRef, kinds, queryText } from './kind-ref.ts';
import { sendJson } from './send.ts';

/** Selects the records to show: of one object, of one namespace, or all records that the user may see. */
export interface ActivityQuery {
  readonly namespace?: string;
  readonly about?: { readonly kind: KindRef; readonly name: string };
  /** The full name of objects, or a part of the name. */
  readonly search?: string;
}

interface ActivityPage {
  readonly metadata: ListMeta;
  readonly items: readonly ActivityRecord[] | null;
}

const pageSize = 50;
const refreshMs = 15_000;

/**
 * Returns the records about objects with this name, newest first. Finds them even if many records about other objects
 * are newer. Sends no request if the text cannot be the name of an object.
 */
export function useActivityOfName(name: string) {
  return useQuery({
    queryKey: ['activity', 'name', name],
    enabled: /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name),
    queryFn: async ({ signal }): Promise<readonly ActivityRecord[]> => {
      const query = queryText({ limit: pageSize, fieldSelector: `involvedObject.name=${name}` });
      const { items } = await sendJson<ActivityPage>({
        url: `${collectionUrl(managementRoot, kinds.activity)}${query}`,
        signal,
      });
      return items ?? [];
    },
    refetchInterval: refreshMs,
  });
}

/**
 * Returns the records of both lists about objects whose name contains the text, newest first. A record that is in both
 * lists is returned once.
 */
export function matchingRecords(
  search: string,
  ...lists: readonly (readonly ActivityRecord[])[]
): readonly ActivityRecord[] {
  const wanted = search.toLowerCase();
  const found = lists.flat().filter(({ involvedObject }) => involvedObject.name.includes(wanted));
  const unique = new Map(found.map((record) => [record.metadata.uid ?? record.metadata.name, record]));
  const timeOf = ({ metadata }: ActivityRecord) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return [...unique.values()].sort((one, two) => timeOf(two) - timeOf(one));
}

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
    // Polls only if a single page is loaded. With more pages, each poll would load all pages again.
    refetchInterval: ({ state: { data } }): number | false => ((data?.pages.length ?? 0) > 1 ? false : refreshMs),
  });
}
