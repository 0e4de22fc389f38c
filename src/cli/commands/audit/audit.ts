import type { JsonObject, JsonValue } from '@flotilla/json';
import {
  type AuditEvent,
  type AuditEventList,
  isDryRunEvent,
  type UnsearchedReplica,
} from '../../../api/audit/audit-event.ts';
import { maxAuditLimit } from '../../../api/audit/audit-query.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { auditEndpoint, requestEndpoint, type TypedResponse } from '../../endpoints.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { auditQueryOf } from './audit-query-of.ts';

const defaultLimit = 50;

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const query = auditQueryOf(values, Date.now(), { since: 'since', until: 'until' });
  const limit = limitOf(values);
  return await withServer(call, async (api) => {
    const printer = new TablePrinter({ wide: format.kind === 'table' && format.wide, colors: terminal.colors });
    const found: JsonValue[] = [];
    const unsearched = new Map<string, UnsearchedReplica>();
    let first: JsonObject | undefined;
    for await (const { json, body } of pages(api, query, limit, signal)) {
      const { items = [], metadata = {} } = body;
      first ??= json;
      // Keep the entries as the server sent them.
      if (Array.isArray(json.items)) found.push(...json.items);
      for (const each of metadata.incomplete ?? []) unsearched.set(each.replica, each);
      if (format.kind === 'table' && items.length > 0) terminal.print(`${printer.lines(tableOf(items)).join('\n')}\n`);
    }
    const incomplete = [...unsearched.values()];
    const metadata = incomplete.length === 0 ? {} : { incomplete: incomplete.map((each) => ({ ...each })) };
    if (format.kind === 'objects') terminal.print(format.print({ ...first, metadata, items: found }));
    else if (found.length === 0) terminal.printToStderr('no audit entries found\n');
    for (const each of incomplete) terminal.printToStderr(`${warningAbout(each)}\n`);
    return undefined;
  });
};

function warningAbout({ replica, reason }: UnsearchedReplica): string {
  return escapeControlCharacters(`Warning: entries of replica ${replica} may be missing: ${reason}`);
}

/** Yields pages of audit entries until the limit or the end of the log. One request searches only part of the log. */
async function* pages(
  api: ServerApi,
  query: Readonly<Record<string, string | undefined>>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<TypedResponse<AuditEventList>> {
  let next: string | undefined;
  let left = limit;
  do {
    const pageQuery = { ...query, limit: String(Math.min(left, maxAuditLimit)), continue: next };
    const page = await requestEndpoint(api, auditEndpoint, { query: pageQuery, signal });
    yield page;
    const { items = [], metadata = {} } = page.body;
    left -= items.length;
    next = metadata.continue || undefined;
  } while (next !== undefined && left > 0);
}

function limitOf(values: CallValues): number {
  const text = values.text('limit') ?? String(defaultLimit);
  if (!/^[1-9]\d{0,6}$/.test(text)) throw usageError('--limit must be a whole number greater than 0');
  return Number(text);
}

const columns = ['Time', 'User', 'Access Key', 'Verb', 'Resource', 'Code', 'Reason'];
const wideColumns = ['Source IP', 'User Agent', 'Audit ID'];

function tableOf(items: readonly AuditEvent[]): JsonObject {
  return {
    columnDefinitions: [...columns, ...wideColumns].map((name) => ({
      name,
      priority: wideColumns.includes(name) ? 1 : 0,
    })),
    rows: items.map((item) => ({
      cells: [
        item.stageTimestamp,
        userOf(item),
        item.accessKey || '<none>',
        verbOf(item),
        resourceOf(item),
        String(item.responseStatus?.code ?? '<none>'),
        reasonOf(item),
        item.sourceIPs.join(', '),
        item.userAgent,
        item.auditID,
      ],
    })),
  };
}

function userOf(item: AuditEvent): string {
  const [user = '', as = ''] = [item.user?.username, item.impersonatedUser?.username];
  return (as === '' ? user : `${user} as ${as}`) || '<none>';
}

function verbOf(item: AuditEvent): string {
  return isDryRunEvent(item) ? `${item.verb} (dry run)` : item.verb;
}

/**
 * Returns text for the object of an audit event, for example `virtualclusterinstances/kubeconfig platform-p-red/demo`,
 * or the path if there is no object.
 */
function resourceOf({ objectRef, requestURI }: AuditEvent): string {
  if (objectRef === undefined) return requestURI;
  const { resource, subresource = '', namespace = '', name = '' } = objectRef;
  const kind = [resource, subresource].filter((part) => part !== '').join('/');
  const key = [namespace, name].filter((part) => part !== '').join('/');
  return key === '' ? kind : `${kind} ${key}`;
}

/** Returns the reason of a denied or failed request; `<none>` for a successful request. */
function reasonOf({ decision, responseStatus }: AuditEvent): string {
  const refused = decision !== undefined && !decision.allowed;
  return (refused ? decision.reason : responseStatus?.reason) || '<none>';
}
