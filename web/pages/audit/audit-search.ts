import type { AuditDecision, AuditQuery } from '../../../src/api/audit/audit-query.ts';

/** What somebody looks for in the audit log, as it stands in the address. */
export interface AuditSearch {
  readonly text?: string | undefined;
  readonly user?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly verb?: string | undefined;
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly decision?: AuditDecision | undefined;
  /** How far back from now. Absent: as far as `since` says, or all of it. */
  readonly within?: Within | undefined;
  /** RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Requests that were begun stand there too. */
  readonly stages?: 'all' | undefined;
}

export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 } as const;
export type Within = keyof typeof spans;

const texts = [
  'text',
  'user',
  'accessKey',
  'verb',
  'resource',
  'namespace',
  'name',
  'code',
  'since',
  'until',
] as const satisfies readonly (keyof AuditSearch)[];

/** Whatever else stands in an address is nothing to look for. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const { decision, within, stages } = search;
  const given: Record<string, string> = {};
  for (const name of texts) {
    const value = search[name];
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') given[name] = String(value);
  }
  return {
    ...given,
    ...(decision === 'allowed' || decision === 'denied' ? { decision } : {}),
    ...(typeof within === 'string' && Object.hasOwn(spans, within) ? { within: within as Within } : {}),
    ...(stages === 'all' ? { stages } : {}),
  };
}

/** The question to the server. `now` is when somebody asked: the pages of one answer have the same beginning. */
export function auditQuery({ within, since, stages, ...rest }: AuditSearch, now: number): AuditQuery {
  const from = within === undefined ? since : new Date(now - spans[within]).toISOString();
  const given = Object.entries({ ...rest, since: from }).filter(([, value]) => value !== undefined && value !== '');
  return {
    ...(Object.fromEntries(given) as AuditQuery),
    ...(stages === 'all' ? {} : { stage: 'ResponseComplete' }),
  };
}

/** How many filters are set beside those that are always in sight. */
export function narrowedBy(search: AuditSearch): number {
  const { text: _, within: __, decision: ___, ...others } = search;
  return Object.values(others).filter((value) => value !== undefined).length;
}
