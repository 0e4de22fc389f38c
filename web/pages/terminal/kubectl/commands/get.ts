import { type JsonObject, type JsonValue, listAt, objectAt, parseTrustedJson, textAt, writeJson } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import type { KubeObject } from '../../../../../src/api/meta.ts';
import { StatusError } from '../../../../../src/api/status.ts';
import { TextTable } from '../../../../../src/client/text-table.ts';
import { collectionUrl, objectUrl, queryText } from '../../../../data/kind-ref.ts';
import { tableAccept } from '../../../../data/rows/table-rows.ts';
import { allNamespacesFlag, type Command, type CommandContext, namespaceFlag, selectorFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import { checkSelection, namespaceFor, pageSize, readObjects, selectors } from '../read-objects.ts';
import type { Arguments } from '../syntax/flags.ts';
import { kindName, type NamedObjects, namedObjects, objectName } from '../syntax/resolve-kind.ts';

export const getCommand: Command = {
  name: 'get',
  usage: 'TYPE[,TYPE…] [NAME…] | TYPE/NAME…',
  about: 'show objects as a table, or as JSON or YAML',
  positional: 'objects',
  flags: [
    namespaceFlag,
    allNamespacesFlag,
    selectorFlag,
    { name: 'field-selector', type: 'text', about: 'a field selector, such as status.phase=Running' },
    {
      name: 'output',
      short: 'o',
      type: 'text',
      values: ['wide', 'json', 'yaml', 'name'],
      about: 'the output format (default: the table from the server)',
    },
    { name: 'watch', short: 'w', type: 'switch', about: 'follow changes until you stop the command' },
    { name: 'show-labels', type: 'switch', about: 'add a column with the labels' },
    { name: 'no-headers', type: 'switch', about: 'omit the header line' },
    { name: 'ignore-not-found', type: 'switch', about: 'do not fail if an object does not exist' },
    { name: 'show-managed-fields', type: 'switch', about: 'keep metadata.managedFields in JSON and YAML' },
  ],
  async run(args, context) {
    const wanted = namedObjects(args.words, await context.served());
    const output = args.text('output');
    for (const each of wanted) checkSelection(each, args);
    if (args.isOn('watch')) return await watch(wanted, args, context);
    if (output === 'json' || output === 'yaml') return await printObjects(wanted, args, context);
    if (output === 'name') return await printNames(wanted, args, context);
    await printTables(wanted, args, context);
  },
};

async function printObjects(wanted: readonly NamedObjects[], args: Arguments, context: CommandContext): Promise<void> {
  const objects: KubeObject[] = [];
  for (const each of wanted) objects.push(...(await found(args, () => readObjects(each, args, context))));
  const shown = objects.map((object) => (args.isOn('show-managed-fields') ? object : withoutManagedFields(object)));
  const isSingle = wanted.length === 1 && wanted[0]?.names.length === 1;
  if (isSingle && shown[0] === undefined) return;
  const document = isSingle ? shown[0] : { apiVersion: 'v1', kind: 'List', items: shown };
  const value = document as unknown as JsonValue;
  context.print(args.text('output') === 'json' ? writeJson(value, { indent: 2 }) : yamlText(value).trimEnd());
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

async function printNames(wanted: readonly NamedObjects[], args: Arguments, context: CommandContext): Promise<void> {
  for (const each of wanted) {
    for (const { metadata } of await found(args, () => readObjects(each, args, context)))
      context.print(objectName(each.kind, metadata.name ?? ''));
  }
}

/**
 * Returns the objects that `read` finds. Returns an empty list if an object does not exist and `--ignore-not-found` is
 * set.
 */
async function found<T>(args: Arguments, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (args.isOn('ignore-not-found') && error instanceof StatusError && error.code === 404) return [];
    throw error;
  }
}

/** Prints the rows of one kind. Aligns later rows with the rows that it printed before. */
class RowPrinter {
  readonly #table: TextTable;
  readonly #args: Arguments;
  readonly #context: CommandContext;
  #isFirst = true;
  count = 0;

  constructor(args: Arguments, context: CommandContext) {
    this.#args = args;
    this.#context = context;
    this.#table = new TextTable({
      wide: args.text('output') === 'wide',
      ...(args.isOn('all-namespaces')
        ? {
            lead: {
              name: 'NAMESPACE',
              of: (row: JsonValue) => textAt(row, 'object', 'metadata', 'namespace') || '<none>',
            },
          }
        : {}),
    });
  }

  print(table: JsonObject, prefix = ''): void {
    const rows = listAt(table, 'rows');
    this.count += rows.length;
    if (rows.length === 0) return;
    const columns = listAt(table, 'columnDefinitions');
    const showLabels = this.#args.isOn('show-labels');
    const lines = this.#table.lines({
      columnDefinitions: [...columns, ...(showLabels ? [{ name: 'Labels' }] : [])],
      rows: rows.map((row) => {
        const [name, ...cells] = listAt(row, 'cells');
        const labels = showLabels ? [labelsOf(row)] : [];
        return { object: objectAt(row, 'object') ?? {}, cells: [`${prefix}${name}`, ...cells, ...labels] };
      }),
    });
    const hideHeader = this.#isFirst && this.#args.isOn('no-headers');
    this.#isFirst = false;
    this.#context.print((hideHeader ? lines.slice(1) : lines).join('\n'));
  }
}

function labelsOf(row: JsonValue): string {
  const labels = objectAt(row, 'object', 'metadata', 'labels') ?? {};
  return (
    Object.entries(labels)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(',') || '<none>'
  );
}

async function printTables(wanted: readonly NamedObjects[], args: Arguments, context: CommandContext): Promise<void> {
  let total = 0;
  for (const each of wanted) {
    if (total > 0 && wanted.length > 1 && each.names.length === 0) context.print('');
    const printer = new RowPrinter(args, context);
    await listTables(each, args, context, (table) => {
      printer.print(table, wanted.length > 1 ? `${kindName(each.kind)}/` : '');
    });
    total += printer.count;
  }
  if (total > 0 || args.isOn('ignore-not-found')) return;
  const isNamespaced = wanted.some(({ kind }) => kind.namespaced);
  const { namespace } = { namespace: args.text('namespace') ?? context.namespace };
  context.print(
    isNamespaced && !args.isOn('all-namespaces')
      ? `No resources found in ${namespace} namespace.`
      : 'No resources found',
  );
}

/** Requests the objects as Tables, page by page. Returns the resource version of the list. */
async function listTables(
  { kind, names }: NamedObjects,
  args: Arguments,
  context: CommandContext,
  take: (table: JsonObject) => void,
): Promise<string> {
  const { root, api, signal } = context;
  const namespace = namespaceFor(kind, args, context);
  let version = '';
  for (const name of names) {
    const url = objectUrl(root, kind, { namespace, name });
    const [table] = await found(args, async () => [await api.json<JsonObject>({ url, accept: tableAccept, signal })]);
    if (table === undefined) continue;
    take(table);
    version = textAt(table, 'metadata', 'resourceVersion');
  }
  if (names.length > 0) return version;
  let more: string | undefined;
  do {
    const query = queryText({ ...selectors(args), limit: pageSize, continue: more });
    const url = `${collectionUrl(root, kind, namespace)}${query}`;
    const table = await api.json<JsonObject>({ url, accept: tableAccept, signal });
    take(table);
    version = textAt(table, 'metadata', 'resourceVersion');
    more = textAt(table, 'metadata', 'continue') || undefined;
  } while (more !== undefined);
  return version;
}

/**
 * Prints the current rows and then every change. Ends when the user stops the command, and throws if the watch fails.
 */
async function watch(wanted: readonly NamedObjects[], args: Arguments, context: CommandContext): Promise<void> {
  const [only, another] = wanted;
  if (only === undefined || another !== undefined || only.names.length > 1)
    throw new KubectlError('--watch follows one kind, or one object');
  if (['json', 'yaml', 'name'].includes(args.text('output') ?? ''))
    throw new KubectlError('--watch prints tables; use it without -o, or with -o wide');
  const { kind, names } = only;
  const { root, api, signal } = context;
  const printer = new RowPrinter(args, context);
  let resourceVersion = await listTables(only, args, context, (table) => printer.print(table));
  const name = names[0] === undefined ? {} : { fieldSelector: `metadata.name=${names[0]}` };
  while (!signal.aborted) {
    const before = resourceVersion;
    const query = { ...selectors(args), ...name, resourceVersion, watch: 'true', allowWatchBookmarks: 'true' };
    const url = `${collectionUrl(root, kind, namespaceFor(kind, args, context))}${queryText(query)}`;
    for await (const line of api.lines({ url, accept: tableAccept, signal })) {
      const event = parseTrustedJson(line) as JsonObject;
      const table = objectAt(event, 'object') ?? {};
      if (textAt(event, 'type') === 'ERROR') throw new StatusError(table as never);
      if (textAt(event, 'type') !== 'BOOKMARK') printer.print(table);
      resourceVersion =
        textAt(listAt(table, 'rows')[0], 'object', 'metadata', 'resourceVersion') ||
        textAt(table, 'metadata', 'resourceVersion') ||
        resourceVersion;
    }
    if (resourceVersion === before) throw new KubectlError('the server has closed the watch');
  }
}
