import { useInfiniteQuery } from '@tanstack/react-query';
import { type AuditEventList, auditPath } from '../../../src/api/audit/audit-event.ts';
import { writeAuditQuery } from '../../../src/api/audit/audit-query.ts';
import { sendJson } from '../../data/send.ts';
import { type AuditSearch, auditQuery } from './audit-search.ts';

/** The matching audit events, newest first, loaded page by page. */
export function useAudit(search: AuditSearch, askedAt: number) {
  const query = auditQuery(search, askedAt);
  return useInfiniteQuery({
    queryKey: ['audit', query, askedAt],
    // The log changes constantly, so results are not cached.
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
