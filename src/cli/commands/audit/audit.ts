import { flagAt, type JsonObject, type JsonValue, listAt, numberAt, textAt, textsAt, valueAt } from '@flotilla/json';
import { auditPath } from '../../../api/audit/audit-event.ts';
import { maxAuditLimit } from '../../../api/audit/audit-query.ts';
import { dryRunAuditAnnotation } from '../../../api/naming.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
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
    const unsearched = new Map<string, JsonValue>();
    let first: JsonObject | undefined;
    for await (const page of pages(api, query, limit, signal)) {
      const items = listAt(page, 'items');
      first ??= page;
      found.push(...items);
      for (const each of listAt(page, 'metadata', 'incomplete')) unsearched.set(textAt(each, 'replica'), each);
      if (format.kind === 'table' && items.length > 0) terminal.print(`${printer.lines(tableOf(items)).join('\n')}\n`);
    }
    const incomplete = [...unsearched.values()];
    const metadata = incomplete.length === 0 ? {} : { incomplete };
    if (format.kind === 'objects') terminal.print(format.print({ ...first, metadata, items: found }));
    else if (found.length === 0) terminal.printToStderr('no audit entries found\n');
    for (const each of incomplete) terminal.printToStderr(`${warningAbout(each)}\n`);
    return undefined;
  });
};

function warningAbout(unsearched: JsonValue): string {
  const [replica, reason] = [textAt(unsearched, 'replica'), textAt(unsearched, 'reason')];
  return escapeControlCharacters(`Warning: entries of replica ${replica} may be missing: ${reason}`);
}

/** Yields pages of audit entries until the limit or the end of the log. One request searches only part of the log. */
async function* pages(
  api: ServerApi,
  query: Readonly<Record<string, string | undefined>>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  let next: string | undefined;
  let left = limit;
  do {
    const pageQuery = { ...query, limit: String(Math.min(left, maxAuditLimit)), continue: next };
    const page = await api.json({ path: auditPath, query: pageQuery, signal });
    yield page;
    left -= listAt(page, 'items').length;
    next = textAt(page, 'metadata', 'continue') || undefined;
  } while (next !== undefined && left > 0);
}

function limitOf(values: CallValues): number {
  const text = values.text('limit') ?? String(defaultLimit);
  if (!/^[1-9]\d{0,6}$/.test(text)) throw usageError('--limit must be a whole number greater than 0');
  return Number(text);
}

const columns = ['Time', 'User', 'Access Key', 'Verb', 'Resource', 'Code', 'Reason'];
const wideColumns = ['Source IP', 'User Agent', 'Audit ID'];

function tableOf(items: readonly JsonValue[]): JsonObject {
  return {
    columnDefinitions: [...columns, ...wideColumns].map((name) => ({
      name,
      priority: wideColumns.includes(name) ? 1 : 0,
    })),
    rows: items.map((item) => ({
      cells: [
        textAt(item, 'stageTimestamp'),
        userOf(item),
        textAt(item, 'accessKey') || '<none>',
        verbOf(item),
        resourceOf(item),
        String(numberAt(item, 'responseStatus', 'code') ?? '<none>'),
        reasonOf(item),
        textsAt(item, 'sourceIPs').join(', '),
        textAt(item, 'userAgent'),
        textAt(item, 'auditID'),
      ],
    })),
  };
}

function userOf(item: JsonValue): string {
  const [user, as] = [textAt(item, 'user', 'username'), textAt(item, 'impersonatedUser', 'username')];
  return (as === '' ? user : `${user} as ${as}`) || '<none>';
}

function verbOf(item: JsonValue): string {
  const isDryRun = textAt(item, 'annotations', dryRunAuditAnnotation) === 'true';
  return isDryRun ? `${textAt(item, 'verb')} (dry run)` : textAt(item, 'verb');
}

/** Returns for example `virtualclusterinstances/kubeconfig platform-p-red/demo`, or the path if there is no object. */
function resourceOf(item: JsonValue): string {
  const at = (member: string) => textAt(item, 'objectRef', member);
  if (valueAt(item, 'objectRef') === undefined) return textAt(item, 'requestURI');
  const kind = [at('resource'), at('subresource')].filter((part) => part !== '').join('/');
  const key = [at('namespace'), at('name')].filter((part) => part !== '').join('/');
  return key === '' ? kind : `${kind} ${key}`;
}

/** Returns the reason of a denied or failed request; `<none>` for a successful request. */
function reasonOf(item: JsonValue): string {
  const refused = valueAt(item, 'decision') !== undefined && !flagAt(item, 'decision', 'allowed');
  return (refused ? textAt(item, 'decision', 'reason') : textAt(item, 'responseStatus', 'reason')) || '<none>';
}
