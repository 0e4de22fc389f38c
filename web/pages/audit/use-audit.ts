import { useInfiniteQuery } from '@tanstack/react-query';
import { type AuditEventList, auditPath } from '../../../src/api/audit/audit-event.ts';
import { writeAuditQuery } from '../../../src/api/audit/audit-query.ts';
import { sendJson } from '../../data/send.ts';
import { type AuditSearch, auditQuery } from './audit-search.ts';

/** What the log holds of what is looked for, newest first, as far back as somebody has asked. */
export function useAudit(search: AuditSearch, askedAt: number) {
  const query = auditQuery(search, askedAt);
  return useInfiniteQuery({
    queryKey: ['audit', query, askedAt],
    // A log is never the same again, and what was read of it is not kept.
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
