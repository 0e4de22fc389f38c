import { type AuditEvent, isDryRunEvent } from '../api/audit/audit-event.ts';
import type { AuditQuery } from '../api/audit/audit-query.ts';

/**
 * Returns a function that reports whether a line of the audit log matches the query. Parsing a line as JSON takes ten
 * times as long as searching the line for a string, and most lines do not match. Therefore the function parses a line
 * only if it contains all values of the query as substrings.
 */
export function auditLineMatcher(query: AuditQuery): (line: string) => boolean {
  const substrings = requiredSubstrings(query);
  const within = withinTimes(query);
  const isText = textMatcher(query.text);
  const checks = checksOf(query);
  return (line) => {
    if (!substrings.every((substring) => line.includes(substring)) || !within(line) || !isText(line)) return false;
    const event = eventOf(line);
    return event !== undefined && checks.every((check) => check(event));
  };
}

/**
 * Returns the time in an audit line, in milliseconds since the epoch; `undefined` if the line contains no valid time.
 * The time is the last JSON member of the line.
 */
export function auditLineTimestamp(line: string): number | undefined {
  const at = line.lastIndexOf(timestampKey);
  if (at < 0) return undefined;
  const start = at + timestampKey.length;
  const time = Date.parse(line.slice(start, line.indexOf('"', start)));
  return Number.isNaN(time) ? undefined : time;
}

const timestampKey = '"stageTimestamp":"';

/**
 * True if an agent may have written the line. An agent's line arrives later than the time in the line. The result can
 * also be true for a line of the server, if a logged body contains the text by which agents' lines are recognized.
 */
export function mayBeAgentLine(line: string): boolean {
  return line.includes('"agent":{');
}

/** Returns the values of the query as JSON strings. Every matching line contains all of them. */
function requiredSubstrings(query: AuditQuery): string[] {
  const { user, accessKey, verb, namespace, name, stage, resource } = query;
  return [user, accessKey, verb, namespace, name, stage, ...(resource?.split('/') ?? [])].flatMap((value) =>
    value === undefined || value === '' ? [] : [JSON.stringify(value)],
  );
}

function withinTimes({ since, until }: AuditQuery): (line: string) => boolean {
  if (since === undefined && until === undefined) return () => true;
  const first = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const last = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  return (line) => {
    const time = auditLineTimestamp(line);
    return time !== undefined && time >= first && time <= last;
  };
}

/**
 * Returns a matcher for the free-text part of the query. The line must contain all words of the text, in any order. A
 * word matches in two forms: unchanged, and with the escapes that JSON uses in strings, such as a backslash before a
 * quotation mark.
 */
function textMatcher(text: string | undefined): (line: string) => boolean {
  if (text === undefined) return () => true;
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((plain) => ({ plain, asValue: JSON.stringify(plain).slice(1, -1) }));
  return (line) => {
    const lower = line.toLowerCase();
    return words.every(({ plain, asValue }) => lower.includes(plain) || (asValue !== plain && lower.includes(asValue)));
  };
}

type Check = (event: AuditEvent) => boolean;

function checksOf(query: AuditQuery): Check[] {
  const { user, accessKey, verb, resource, namespace, name, stage, code, decision, dryRuns } = query;
  const checks: (Check | undefined)[] = [
    user === undefined
      ? undefined
      : (event) => event.user?.username === user || event.impersonatedUser?.username === user,
    accessKey === undefined ? undefined : (event) => event.accessKey === accessKey,
    verb === undefined ? undefined : (event) => event.verb === verb,
    resource === undefined ? undefined : (event) => isOf(event, resource),
    namespace === undefined ? undefined : (event) => event.objectRef?.namespace === namespace,
    name === undefined ? undefined : (event) => event.objectRef?.name === name,
    stage === undefined ? undefined : (event) => event.stage === stage,
    code === undefined ? undefined : (event) => isCode(event.responseStatus?.code, code),
    decision === undefined ? undefined : (event) => (isDenied(event) ? 'denied' : decisionOf(event)) === decision,
    dryRuns === 'include' ? undefined : (event) => isDryRunEvent(event) === (dryRuns === 'only'),
  ];
  return checks.filter((check) => check !== undefined);
}

/**
 * True for a request without a valid credential, and for a request that was refused because of permissions, a scope or
 * a policy.
 */
function isDenied({ decision, responseStatus }: AuditEvent): boolean {
  return decision?.allowed === false || responseStatus?.code === 401 || responseStatus?.code === 403;
}

function decisionOf({ decision }: AuditEvent): AuditQuery['decision'] {
  return decision?.allowed === true ? 'allowed' : undefined;
}

function isOf({ objectRef }: AuditEvent, resource: string): boolean {
  const [plural, subresource] = resource.split('/');
  if (objectRef?.resource !== plural) return false;
  return subresource === undefined || (objectRef?.subresource ?? '') === subresource;
}

function isCode(code: number | undefined, wanted: string): boolean {
  if (code === undefined) return false;
  return wanted.endsWith('xx') ? String(code).startsWith(wanted.slice(0, 1)) : String(code) === wanted;
}

/** Parses an audit line. `undefined` if the line is incomplete, for example after a crash during a write. */
function eventOf(line: string): AuditEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AuditEvent) : undefined;
  } catch {
    return undefined;
  }
}
