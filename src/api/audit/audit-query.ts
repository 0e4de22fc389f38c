import type { AuditEvent } from './audit-event.ts';

/** The parameters of `GET /audit`. A line must match all of them. An absent parameter matches every line. */
export interface AuditQuery {
  /** User name of the caller, or of the user that the caller impersonates. */
  readonly user?: string;
  /** Name of the access key with which the request was authenticated. */
  readonly accessKey?: string;
  readonly verb?: string;
  /**
   * A plural resource name, which also matches requests for its subresources. `plural/subresource` matches only that
   * subresource, and `plural/` only the resource itself.
   */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /**
   * The stage of the line. A write request has one line per stage. To get one line per request, select the stage
   * `ResponseComplete`.
   */
  readonly stage?: AuditEvent['stage'];
  /** Status code of the response, such as `403`, or a class of status codes, such as `4xx`. */
  readonly code?: string;
  /** `denied` also matches every response with the code 401 or 403. */
  readonly decision?: AuditDecision;
  /**
   * `include` also returns dry runs, and `only` returns only dry runs. Optional; by default, dry runs are not returned.
   */
  readonly dryRuns?: AuditDryRuns;
  /** Words that a matching line must contain, in any order and regardless of case. */
  readonly text?: string;
  /** The earliest time of the lines, in RFC 3339 format. */
  readonly since?: string;
  /** The latest time of the lines, in RFC 3339 format. */
  readonly until?: string;
  readonly limit?: number;
  /** The value of `metadata.continue` in the previous response. The other parameters must be the same as before. */
  readonly continue?: string;
}

export const auditDecisions = ['allowed', 'denied'] as const;
export type AuditDecision = (typeof auditDecisions)[number];

export const auditDryRuns = ['include', 'only'] as const;
export type AuditDryRuns = (typeof auditDryRuns)[number];

export const auditStages: readonly AuditEvent['stage'][] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'];

export const defaultAuditLimit = 100;
export const maxAuditLimit = 1_000;

/** Maximum number of characters in the value of a query parameter. */
const maxValueLength = 1_024;

/** The maximum number of characters in `continue`, which contains one position per replica. */
const maxContinueLength = 16 * 1_024;

const timeForm = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const time = (text: string): string | undefined =>
  timeForm.test(text) && !Number.isNaN(Date.parse(text))
    ? undefined
    : 'must be an RFC 3339 time such as 2026-11-15T08:00:00Z';

const anyValue = (): undefined => undefined;

const oneOf =
  (values: readonly string[]) =>
  (text: string): string | undefined =>
    values.includes(text) ? undefined : `must be one of ${values.join(', ')}`;

/** The function that validates each parameter. It returns an error message, or `undefined` if the value is valid. */
const parameters: Readonly<Record<keyof AuditQuery, (text: string) => string | undefined>> = {
  user: anyValue,
  accessKey: anyValue,
  verb: anyValue,
  resource: anyValue,
  namespace: anyValue,
  name: anyValue,
  stage: oneOf(auditStages),
  code: (text) =>
    /^[1-5](\d\d|xx)$/.test(text) ? undefined : 'must be a status code such as 403, or a class such as 4xx',
  decision: oneOf(auditDecisions),
  dryRuns: oneOf(auditDryRuns),
  text: anyValue,
  since: time,
  until: time,
  limit: (text) =>
    /^[1-9]\d{0,3}$/.test(text) && Number(text) <= maxAuditLimit
      ? undefined
      : `must be an integer from 1 to ${maxAuditLimit}`,
  continue: anyValue,
};

/** Parameters that every endpoint of the API accepts. */
const commonParameters: ReadonlySet<string> = new Set(['pretty', 'timeout']);

/**
 * Parses the query string of an audit search and returns all problems at once. A parameter with an empty value counts
 * as absent, because HTML forms send empty values. An unknown parameter is a problem, because a misspelled filter that
 * is ignored would return all lines.
 */
export function readAuditQuery(search: URLSearchParams): { query: AuditQuery; problems: string[] } {
  const query: Record<string, string | number> = {};
  const problems: string[] = [];
  for (const name of new Set(search.keys())) {
    if (commonParameters.has(name)) continue;
    const [value = '', ...others] = search.getAll(name);
    const check = Object.hasOwn(parameters, name) ? parameters[name as keyof AuditQuery] : undefined;
    if (check === undefined) {
      problems.push(`${JSON.stringify(name.slice(0, 64))} is not a known parameter`);
    } else if (others.length > 0) {
      problems.push(`${name} must be specified only once`);
    } else if (value !== '') {
      const most = name === 'continue' ? maxContinueLength : maxValueLength;
      const problem = value.length > most ? `must have at most ${most} characters` : check(value);
      if (problem === undefined) query[name] = name === 'limit' ? Number(value) : value;
      else problems.push(`${name} ${problem}`);
    }
  }
  return { query, problems };
}

/** Writes the query string, without the question mark. The parameters are in their documented order. */
export function writeAuditQuery(query: AuditQuery): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(parameters) as (keyof AuditQuery)[]) {
    const value = query[name];
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.toString();
}
