import { queryOptions } from '@tanstack/react-query';
import { type ApiRoot, managementRoot } from '../api-root.ts';
import { type KindRef, type ObjectKey, objectUrl } from '../kind-ref.ts';
import { sendJson } from '../send.ts';

/** A query for a subresource, such as the importable virtual clusters of a cluster. */
export function subresourceQuery<T>(
  kind: KindRef,
  place: ObjectKey,
  subresource: string,
  root: ApiRoot = managementRoot,
) {
  const url = objectUrl(root, kind, place, subresource);
  return queryOptions({
    queryKey: ['subresource', url],
    queryFn: async ({ signal }): Promise<T> => await sendJson<T>({ url, signal }),
  });
}
