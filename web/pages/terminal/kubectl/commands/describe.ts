import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../../../src/api/meta.ts';
import { TextTable, tableOf } from '../../../../../src/client/text-table.ts';
import { collectionUrl, kinds, queryText } from '../../../../data/kind-ref.ts';
import { eventsAbout } from '../../../../data/objects/events-about.ts';
import { type ObjectEvent, readEvents } from '../../../../data/objects/object-events.ts';
import { rowKey } from '../../../../data/rows/table-rows.ts';
import { allNamespacesFlag, type Command, type CommandContext, namespaceFlag, selectorFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import { readObjects } from '../read-objects.ts';
import { namedObjects } from '../syntax/resolve-kind.ts';

export const describeCommand: Command = {
  name: 'describe',
  usage: 'TYPE [NAME…] | TYPE/NAME…',
  about: 'show all fields and the events of objects',
  positional: 'objects',
  flags: [
    namespaceFlag,
    allNamespacesFlag,
    selectorFlag,
    { name: 'show-events', type: 'switch', about: 'false omits the events' },
  ],
  async run(args, context) {
    let count = 0;
    for (const each of namedObjects(args.words, await context.served())) {
      for (const object of await readObjects(each, args, context)) {
        if (count > 0) context.print('\n');
        count += 1;
        const events = args.text('show-events') === 'false' ? undefined : await eventsOf(object, context);
        context.print(describeObject({ ...object, kind: each.kind.kind }, events, context.now()));
      }
    }
    if (count === 0) throw new KubectlError('no objects found');
  },
};

type WireEvents = { items?: KubeObject[] | null };

async function eventsOf(object: KubeObject, context: CommandContext): Promise<readonly ObjectEvent[]> {
  const { namespace = '', fieldSelector } = eventsAbout(object);
  const query = queryText({ fieldSelector, limit: 100 });
  const url = `${collectionUrl(context.root, kinds.event, namespace)}${query}`;
  try {
    const { items } = await context.api.json<WireEvents>({ url, signal: context.signal });
    return readEvents(
      (items ?? []).map((each) => ({ key: rowKey(each.metadata), metadata: each.metadata, cells: [], object: each })),
    );
  } catch {
    // If the user may not read the events, the description of the object contains none.
    return [];
  }
}

/**
 * Returns the description of an object: its metadata, then all other fields, then its events. Field names are split
 * into words.
 */
export function describeObject(object: KubeObject, events: readonly ObjectEvent[] | undefined, now: number): string {
  const { metadata, apiVersion, kind, ...fields } = object as KubeObject & JsonObject;
  const { name = '', namespace, labels = {}, annotations = {}, managedFields: _, ...more } = metadata;
  const lines = alignedLines([
    ['Name', name],
    ...(namespace === undefined ? [] : [['Namespace', namespace] as const]),
    ['Labels', pairsText(labels)],
    ['Annotations', pairsText(annotations)],
    ['API Version', apiVersion],
    ['Kind', kind],
  ]);
  const shown = kind === 'Secret' && apiVersion === 'v1' ? withoutSecretValues(fields) : fields;
  const body = { metadata: more as unknown as JsonValue, ...shown };
  lines.push(...fieldLines(body as JsonObject, ''));
  if (events !== undefined) lines.push(...eventLines(events, now));
  return lines.join('\n');
}

/** Replaces the values of a secret by their sizes, as kubectl does. */
function withoutSecretValues(fields: JsonObject): JsonObject {
  const { data, ...others } = fields;
  if (!isJsonObject(data)) return others;
  const sizes = Object.entries(data).map(([key, value]) => [key, `${decodedLength(String(value))} bytes`] as const);
  return { ...others, data: Object.fromEntries(sizes) };
}

function decodedLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function pairsText(pairs: Readonly<Record<string, string>>): string {
  const lines = Object.entries(pairs).map(([key, value]) => `${key}=${value}`);
  return lines.length === 0 ? '<none>' : lines.join('\n');
}

/** Aligns the values behind their names. The second and later lines of a value are aligned with its first line. */
function alignedLines(pairs: readonly (readonly [string, string])[], indent = ''): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length)) + 3;
  return pairs.flatMap(([name, value]) => {
    const [first = '', ...others] = value.split('\n');
    return [
      `${indent}${`${name}:`.padEnd(width)}${first}`.trimEnd(),
      ...others.map((line) => `${indent}${' '.repeat(width)}${line}`),
    ];
  });
}

/** Returns a field name in words: `creationTimestamp` is "Creation Timestamp". Keys of maps are not changed. */
function titleOf(name: string): string {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) return name;
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function fieldLines(fields: JsonObject, indent: string): string[] {
  const lines: string[] = [];
  let scalars: [string, string][] = [];
  const flush = () => {
    lines.push(...alignedLines(scalars, indent));
    scalars = [];
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
    if (typeof value !== 'object' || isEmpty) {
      scalars.push([titleOf(name), isEmpty ? '<none>' : String(value)]);
      continue;
    }
    flush();
    lines.push(`${indent}${titleOf(name)}:`);
    lines.push(...valueLines(value, `${indent}  `));
  }
  flush();
  return lines;
}

function valueLines(value: JsonValue, indent: string): string[] {
  if (isJsonObject(value)) return fieldLines(value, indent);
  if (!Array.isArray(value)) return [`${indent}${String(value)}`];
  return value.flatMap((item) => {
    if (typeof item !== 'object' || item === null) return [`${indent}- ${String(item)}`];
    const [first = '', ...others] = valueLines(item, `${indent}  `);
    return [`${indent}- ${first.slice(indent.length + 2)}`, ...others];
  });
}

function eventLines(events: readonly ObjectEvent[], now: number): string[] {
  if (events.length === 0) return ['Events:  <none>'];
  const rows = [...events]
    .reverse()
    .map(({ isWarning, reason, message, source, count, last }) => [
      isWarning ? 'Warning' : 'Normal',
      reason,
      `${ageText(now - Date.parse(last))}${count > 1 ? ` (x${count})` : ''}`,
      source || '<none>',
      message.trim(),
    ]);
  const table = new TextTable({ wide: true }).lines(tableOf(['Type', 'Reason', 'Age', 'From', 'Message'], rows));
  return ['Events:', ...table.map((line) => `  ${line}`)];
}

function ageText(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return '<unknown>';
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
