import { type AuditEvent, isDryRunEvent } from '../../api/audit/audit-event.ts';

type Cell = string | number | boolean | undefined;

/** The columns of a CSV export, in order. */
const columns: Readonly<Record<string, (event: AuditEvent) => Cell>> = {
  time: (event) => event.stageTimestamp,
  received: (event) => event.requestReceivedTimestamp,
  user: (event) => event.user?.username,
  groups: (event) => event.user?.groups.join(' '),
  impersonatedUser: (event) => event.impersonatedUser?.username,
  accessKey: (event) => event.accessKey,
  verb: (event) => event.verb,
  apiGroup: (event) => event.objectRef?.apiGroup,
  resource: (event) => event.objectRef?.resource,
  subresource: (event) => event.objectRef?.subresource,
  namespace: (event) => event.objectRef?.namespace,
  name: (event) => event.objectRef?.name,
  code: (event) => event.responseStatus?.code,
  reason: (event) => event.responseStatus?.reason,
  decision: ({ decision }) => (decision === undefined ? undefined : decision.allowed ? 'allowed' : 'denied'),
  decisionReason: (event) => event.decision?.reason,
  dryRun: (event) => isDryRunEvent(event) || undefined,
  sourceIPs: (event) => event.sourceIPs.join(' '),
  userAgent: (event) => event.userAgent,
  requestURI: (event) => event.requestURI,
  stage: (event) => event.stage,
  level: (event) => event.level,
  auditID: (event) => event.auditID,
  agentCluster: (event) => event.agent?.cluster,
  seq: (event) => event.chain?.seq,
  hash: (event) => event.chain?.hash,
};

const readers = Object.values(columns);

/** The first line of a CSV export, with the names of the columns. */
export const csvHeader = `${Object.keys(columns).join(',')}\r\n`;

/** Returns a line of the audit log as a line of CSV (RFC 4180). Throws if the line is not JSON. */
export function csvLine(line: string): string {
  const event = JSON.parse(line) as AuditEvent;
  return `${readers.map((read) => csvField(read(event))).join(',')}\r\n`;
}

/**
 * Returns a value as a CSV field. Spreadsheets execute a text that starts with certain characters, such as `=`, as a
 * formula, and clients choose some of the exported texts. The function puts an apostrophe before such a text.
 */
export function csvField(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const isFormula = /^\s*[=+\-@\t\r\n|%]/.test(value);
  const text = isFormula ? `'${value}` : value;
  return isFormula || /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
