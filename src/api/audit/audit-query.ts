import type { AuditEvent } from './audit-event.ts';

/** What `GET /audit` looks for: a line has to match everything that is given. Absent matches whatever there is. */
export interface AuditQuery {
  /** Who asked, or whom they acted as. */
  readonly user?: string;
  /** The name of the key that it was done with. */
  readonly accessKey?: string;
  readonly verb?: string;
  /** `plural`, which is found with all its subresources; `plural/subresource`; or `plural/`, without any. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** A write has a line of each; whoever wants to see each request once asks for `ResponseComplete`. */
  readonly stage?: AuditEvent['stage'];
  /** What was answered: `403`, or `4xx` for all that begin with 4. */
  readonly code?: string;
  readonly decision?: AuditDecision;
  /** Stands somewhere in the line; large and small letters are the same. */
  readonly text?: string;
  /** RFC 3339: not before, by the time at which the line was written. */
  readonly since?: string;
  /** RFC 3339: not after. */
  readonly until?: string;
  readonly limit?: number;
  /** `metadata.continue` of the answer before. The other parameters are to be the same. */
  readonly continue?: string;
}

export const auditDecisions = ['allowed', 'denied'] as const;
export type AuditDecision = (typeof auditDecisions)[number];

export const auditStages: readonly AuditEvent['stage'][] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'];

export const defaultAuditLimit = 100;
export const mostAuditLimit = 1_000;

/** Longer ones are looked for by nobody. */
const longestValue = 1_024;

const timeForm = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const time = (text: string): string | undefined =>
  timeForm.test(text) && !Number.isNaN(Date.parse(text))
    ? undefined
    : 'must be a time as in RFC 3339, such as 2026-11-15T08:00:00Z';

const anyText = (): undefined => undefined;

const oneOf =
  (values: readonly string[]) =>
  (text: string): string | undefined =>
    values.includes(text) ? undefined : `must be one of ${values.join(', ')}`;

/** Each parameter with what is wrong with a value. */
const parameters: Readonly<Record<keyof AuditQuery, (text: string) => string | undefined>> = {
  user: anyText,
  accessKey: anyText,
  verb: anyText,
  resource: anyText,
  namespace: anyText,
  name: anyText,
  stage: oneOf(auditStages),
  code: (text) =>
    /^[1-5](\d\d|xx)$/.test(text) ? undefined : 'must be a status code such as 403, or a class such as 4xx',
  decision: oneOf(auditDecisions),
  text: anyText,
  since: time,
  until: time,
  limit: (text) =>
    /^[1-9]\d{0,3}$/.test(text) && Number(text) <= mostAuditLimit
      ? undefined
      : `must be a whole number from 1 to ${mostAuditLimit}`,
  continue: anyText,
};

/** Parameters that every request may have, whatever it asks for. */
const general: ReadonlySet<string> = new Set(['pretty', 'timeout']);

/**
 * Reads a query, and gives all its problems at once. A parameter without a value counts as absent: forms send those. One
 * that is not known is a problem, as a filter with a typing error would show everything.
 */
export function readAuditQuery(search: URLSearchParams): { query: AuditQuery; problems: string[] } {
  const query: Record<string, string | number> = {};
  const problems: string[] = [];
  for (const name of new Set(search.keys())) {
    if (general.has(name)) continue;
    const [value = '', ...others] = search.getAll(name);
    const check = Object.hasOwn(parameters, name) ? parameters[name as keyof AuditQuery] : undefined;
    if (check === undefined) {
      problems.push(`${JSON.stringify(name.slice(0, 64))} is not a parameter of this search`);
    } else if (others.length > 0) {
      problems.push(`${name} must be given once`);
    } else if (value !== '') {
      const problem = value.length > longestValue ? `must have at most ${longestValue} characters` : check(value);
      if (problem === undefined) query[name] = name === 'limit' ? Number(value) : value;
      else problems.push(`${name} ${problem}`);
    }
  }
  return { query, problems };
}

/** The query as it goes into a URL, without its question mark; members in the order in which they are documented. */
export function writeAuditQuery(query: AuditQuery): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(parameters) as (keyof AuditQuery)[]) {
    const value = query[name];
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.toString();
}
