import { auditPath } from '../../api/audit/audit-event.ts';
import { mostAuditLimit } from '../../api/audit/audit-query.ts';
import { projectNamespace } from '../../api/naming.ts';
import { flagAt, listAt, numberAt, textAt, textsAt, valueAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';
import type { CommandRun } from '../command-spec.ts';
import { type ServerApi, withServer } from '../connection/server-api.ts';
import { parseDuration } from '../input/parse-duration.ts';
import { outputFormat } from '../output/output-format.ts';
import { TablePrinter } from '../output/print-table.ts';

/** Without a limit of one's own. */
const usualLimit = 50;

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const query = queryOf(values, Date.now());
  const limit = limitOf(values);
  return await withServer(call, async (api) => {
    const printer = new TablePrinter({ wide: format.kind === 'table' && format.wide, colours: terminal.colours });
    const found: JsonValue[] = [];
    let first: JsonObject | undefined;
    for await (const page of pages(api, query, limit, signal)) {
      const items = listAt(page, 'items');
      first ??= page;
      found.push(...items);
      if (format.kind === 'table' && items.length > 0) terminal.print(`${printer.lines(tableOf(items)).join('\n')}\n`);
    }
    if (format.kind === 'objects') terminal.print(format.print({ ...first, metadata: {}, items: found }));
    else if (found.length === 0) terminal.remark('nothing in the audit log is like that\n');
    return undefined;
  });
};

/** Each request looks at a part of the log; this goes on until there is enough, or no more. */
async function* pages(
  api: ServerApi,
  query: Readonly<Record<string, string | undefined>>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  let next: string | undefined;
  let left = limit;
  do {
    const asked = { ...query, limit: String(Math.min(left, mostAuditLimit)), continue: next };
    const page = await api.json({ path: auditPath, query: asked, signal });
    yield page;
    left -= listAt(page, 'items').length;
    next = textAt(page, 'metadata', 'continue') || undefined;
  } while (next !== undefined && left > 0);
}

function queryOf(values: CallValues, now: number): Record<string, string | undefined> {
  const project = values.text('project');
  return {
    user: values.text('user'),
    accessKey: values.text('access-key'),
    verb: values.text('verb'),
    resource: values.text('resource'),
    namespace: project === undefined ? undefined : projectNamespace(project),
    name: values.text('name'),
    code: values.text('code'),
    decision: values.flag('denied') ? 'denied' : undefined,
    stage: values.flag('all-stages') ? undefined : 'ResponseComplete',
    text: values.text('text'),
    since: timeOf(values, 'since', now),
    until: timeOf(values, 'until', now),
  };
}

/** A time of day as it is; else how long ago. */
function timeOf(values: CallValues, option: string, now: number): string | undefined {
  const text = values.text(option);
  if (text === undefined || /^\d{4}-/.test(text)) return text;
  return new Date(now - parseDuration(text, option) * 1_000).toISOString();
}

function limitOf(values: CallValues): number {
  const text = values.text('limit') ?? String(usualLimit);
  if (!/^[1-9]\d{0,6}$/.test(text)) throw usageError('--limit: a whole number above 0');
  return Number(text);
}

const columns = ['Time', 'User', 'Access Key', 'Verb', 'What', 'Code', 'Why'];
const wideColumns = ['From', 'Client', 'Audit Id'];

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
        textAt(item, 'verb'),
        whatOf(item),
        String(numberAt(item, 'responseStatus', 'code') ?? '<none>'),
        whyOf(item),
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

/** `virtualclusterinstances/kubeconfig platform-p-red/demo`, or the path where it is no object. */
function whatOf(item: JsonValue): string {
  const at = (member: string) => textAt(item, 'objectRef', member);
  if (valueAt(item, 'objectRef') === undefined) return textAt(item, 'requestURI');
  const kind = [at('resource'), at('subresource')].filter((part) => part !== '').join('/');
  const place = [at('namespace'), at('name')].filter((part) => part !== '').join('/');
  return place === '' ? kind : `${kind} ${place}`;
}

/** Why it was refused; what was allowed needs no word. */
function whyOf(item: JsonValue): string {
  const refused = valueAt(item, 'decision') !== undefined && !flagAt(item, 'decision', 'allowed');
  return (refused ? textAt(item, 'decision', 'reason') : textAt(item, 'responseStatus', 'reason')) || '<none>';
}
