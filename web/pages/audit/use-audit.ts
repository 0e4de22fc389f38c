import { useInfiniteQuery } from '@tanstack/react-query';
import { type AuditEventList, auditPath } from '../../../src/api/audit/audit-event.ts';
import { writeAuditQuery } from '../../../src/api/audit/audit-query.ts';
import { sendJson } from '../../data/send.ts';
import { type AuditSearch, auditQuery } from './audit-search.ts';

/** Returns the audit events that match a search, newest first, loaded page by page. */
export function useAudit(search: AuditSearch, searchedAt: number) {
  const query = auditQuery(search, searchedAt);
  return useInfiniteQuery({
    queryKey: ['audit', query, searchedAt],
    // Results are not cached, because the log changes constantly.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<AuditEventList> => {
      const text = writeAuditQuery({ ...query, ...(pageParam === undefined ? {} : { continue: pageParam }) });
      return await sendJson<AuditEventList>({ url: `${auditPath}${text === '' ? '' : `?${text}`}`, signal });
    },
    getNextPageParam: ({ metadata }) => metadata.continue,
  });
}
