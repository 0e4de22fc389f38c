import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { projectOfNamespace } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { checkProject } from '../../connection/check-project.ts';
import { findKind } from '../../connection/find-kind.ts';
import { objectPath, tableMediaType, watchEvents } from '../../connection/objects.ts';
import { type ApiRequest, type ServerApi, withServer } from '../../connection/server-api.ts';
import type { NamedKind } from '../../kinds.ts';
import { type OutputFormat, outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { pause } from '../../pause.ts';

/**
 * Returns the command that lists the objects of the kind `given`, or of the kind in the command's argument. With
 * `--watch`, the command also prints changes. `keep` selects the objects to print; it is optional and cannot be
 * combined with `--watch`.
 */
export function listCommand(given: NamedKind, keep?: (object: JsonObject) => boolean): CommandRun {
  return async (call) => {
    if (keep !== undefined && call.values.flag('watch')) throw usageError('--watch cannot be combined with a filter');
    const format = await outputFormat(call.values);
    return await withServer(call, async (api) => {
      const word = call.values.optionalArgument('kind');
      const kind = word === undefined ? given : await findKind(api, word, call.interrupted);
      const everywhere = call.values.flag('all-projects');
      const where = { project: everywhere ? undefined : api.access.project };
      const ask: ApiRequest = {
        path: objectPath(api, kind, where),
        query: {
          labelSelector: call.values.text('selector'),
          ...(keep === undefined ? {} : { includeObject: 'Object' }),
        },
        signal: call.interrupted,
      };
      await showObjects(api, ask, call, {
        format,
        ...(keep === undefined ? {} : { keep }),
        withProject: kind.inProject && everywhere,
        async emptyMessage() {
          if (!kind.inProject || everywhere) return `no ${kind.noun}s found`;
          await checkProject(api, call.interrupted);
          return `no ${kind.noun}s found in project "${api.access.project}"`;
        },
      });
      return undefined;
    });
  };
}

const reconnectMilliseconds = 500;

export interface ShowOptions {
  readonly format: OutputFormat;
  readonly withProject: boolean;
  /**
   * True if the object is to be printed. Optional; by default all objects are printed. Requires a request for whole
   * objects.
   */
  keep?(object: JsonObject): boolean;
  /**
   * Returns the message to print if no object is found. Throws if finding no object is an error; this applies to every
   * output format.
   */
  emptyMessage(): Promise<string>;
}

/** Prints the response in the format that `-o` selects. With `--watch` it then prints changes. */
export async function showObjects(
  api: ServerApi,
  ask: ApiRequest,
  call: CommandCall,
  showing: ShowOptions,
): Promise<void> {
  const { terminal, values } = call;
  const { format } = showing;
  const withProject = showing.withProject ? { withProject: projectIn } : {};
  const printer = new TablePrinter({
    wide: format.kind === 'table' && format.wide,
    colors: terminal.colors,
    ...withProject,
  });
  const accept = format.kind === 'table' ? tableMediaType : 'application/json';
  const print = (document: JsonObject): void => {
    if (format.kind === 'objects') terminal.print(format.print(document));
    else for (const line of printer.lines(document)) terminal.print(`${line}\n`);
  };
  const first = filtered(await api.json({ ...ask, accept }), showing.keep);
  const isEmpty = listAt(first, format.kind === 'table' ? 'rows' : 'items').length === 0;
  const emptyMessage = isEmpty ? await showing.emptyMessage() : '';
  if (isEmpty && format.kind === 'table') terminal.printToStderr(`${emptyMessage}\n`);
  else print(first);
  if (!values.flag('watch')) return;
  let from = textAt(first, 'metadata', 'resourceVersion');
  for (;;) {
    from = await printChanges(api, { ...ask, accept }, from, print);
    // The pause prevents a tight loop if the server ends every watch immediately.
    await pause(reconnectMilliseconds, call.interrupted);
  }
}

/** Prints changes until the server ends the watch. Returns the resourceVersion from which the next watch continues. */
async function printChanges(
  api: ServerApi,
  ask: ApiRequest,
  resourceVersion: string,
  print: (document: JsonObject) => void,
): Promise<string> {
  let reached = resourceVersion;
  try {
    for await (const { type, object } of watchEvents(api, { ...ask, query: { ...ask.query, resourceVersion } })) {
      reached =
        textAt(object, 'metadata', 'resourceVersion') ||
        textAt(listAt(object, 'rows')[0], 'object', 'metadata', 'resourceVersion') ||
        reached;
      if (type !== 'BOOKMARK') print(object);
    }
    return reached;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 410) throw error;
    // The history has expired (410), so list all objects again.
    const again = await api.json(ask);
    print(again);
    return textAt(again, 'metadata', 'resourceVersion');
  }
}

/** Returns a list or table with only the objects to print. */
function filtered(document: JsonObject, keep: ShowOptions['keep']): JsonObject {
  if (keep === undefined) return document;
  const selected = (member: string, objectIn: (item: JsonValue) => JsonValue | undefined) =>
    listAt(document, member).filter((item) => {
      const object = objectIn(item);
      return isJsonObject(object) && keep(object);
    });
  return 'rows' in document
    ? { ...document, rows: selected('rows', (row) => objectAt(row, 'object')) }
    : { ...document, items: selected('items', (item) => item) };
}

function projectIn(row: JsonValue): string {
  return projectOfNamespace(textAt(row, 'object', 'metadata', 'namespace')) ?? '';
}
