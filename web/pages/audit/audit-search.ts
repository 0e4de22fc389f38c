import type { AuditDecision, AuditQuery } from '../../../src/api/audit/audit-query.ts';

/** The search parameters of the audit log in the URL. */
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
  /** A period that ends now, such as the last 24 hours. Optional; overrides `since`. */
  readonly within?: SearchPeriod | undefined;
  /** The earliest time of an event in RFC 3339 format; `until` is the latest. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** With `include`, the search includes dry runs, for example the checks of forms while a user fills them in. */
  readonly dryRuns?: 'include' | undefined;
  /**
   * With `all`, the search includes the events of every audit stage. By default, it includes only the events of
   * completed requests.
   */
  readonly stages?: 'all' | undefined;
}

export const searchPeriodsMs = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
} as const;
export type SearchPeriod = keyof typeof searchPeriodsMs;

const textParameters = [
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

/** Reads the search parameters from the URL and drops unknown or invalid ones. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const { decision, dryRuns, within, stages } = search;
  const given: Record<string, string> = {};
  for (const name of textParameters) {
    const value = search[name];
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') given[name] = String(value);
  }
  return {
    ...given,
    ...(decision === 'allowed' || decision === 'denied' ? { decision } : {}),
    ...(typeof within === 'string' && Object.hasOwn(searchPeriodsMs, within) ? { within: within as SearchPeriod } : {}),
    ...(dryRuns === 'include' ? { dryRuns } : {}),
    ...(stages === 'all' ? { stages } : {}),
  };
}

/**
 * Builds the query for the server. `now` is the time at which the user started the search, so all result pages cover
 * the same period.
 */
export function auditQuery({ within, since, stages, ...rest }: AuditSearch, now: number): AuditQuery {
  const from = within === undefined ? since : new Date(now - searchPeriodsMs[within]).toISOString();
  const given = Object.entries({ ...rest, since: from }).filter(([, value]) => value !== undefined && value !== '');
  return {
    ...(Object.fromEntries(given) as AuditQuery),
    ...(stages === 'all' ? {} : { stage: 'ResponseComplete' }),
  };
}

/** Returns the number of active filters in the section that "More filters" expands. */
export function countExtraFilters(search: AuditSearch): number {
  const { text: _, within: __, decision: ___, ...others } = search;
  return Object.values(others).filter((value) => value !== undefined).length;
}
