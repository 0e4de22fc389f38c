import type { AuditEvent } from '../api/audit/audit-event.ts';
import type { AuditQuery } from '../api/audit/audit-query.ts';

/**
 * Compiles a query to a line matcher. Most lines do not match, and parsing a line as JSON takes ten times as long as
 * testing whether it contains a string. A line is parsed only if it contains all values of the query.
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
 * The time at which a line was written, its last member, in milliseconds since the epoch. `undefined` if it has none.
 */
export function lineTimestamp(line: string): number | undefined {
  const at = line.lastIndexOf(timestampKey);
  if (at < 0) return undefined;
  const start = at + timestampKey.length;
  const time = Date.parse(line.slice(start, line.indexOf('"', start)));
  return Number.isNaN(time) ? undefined : time;
}

const timestampKey = '"stageTimestamp":"';

/** The values of the query as they appear in a matching line. */
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
    const time = lineTimestamp(line);
    return time !== undefined && time >= first && time <= last;
  };
}

/** A text with a quotation mark matches in a value, where it is escaped, and in the raw line. */
function textMatcher(text: string | undefined): (line: string) => boolean {
  if (text === undefined) return () => true;
  const plain = text.toLowerCase();
  const asValue = JSON.stringify(plain).slice(1, -1);
  return (line) => {
    const lower = line.toLowerCase();
    return lower.includes(plain) || (asValue !== plain && lower.includes(asValue));
  };
}

type Check = (event: AuditEvent) => boolean;

function checksOf(query: AuditQuery): Check[] {
  const { user, accessKey, verb, resource, namespace, name, stage, code, decision } = query;
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
    decision === undefined ? undefined : (event) => event.decision?.allowed === (decision === 'allowed'),
  ];
  return checks.filter((check) => check !== undefined);
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

/** `undefined` if the line is not a complete audit line, as after a crash during a write. */
function eventOf(line: string): AuditEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AuditEvent) : undefined;
  } catch {
    return undefined;
  }
}
