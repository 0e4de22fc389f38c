import type { JsonObject, JsonValue } from '@flotilla/json';
import { listAt, textAt } from '@flotilla/json';
import { projectOfNamespace } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject, objectPath, tableMediaType, watchEvents } from '../../connection/objects.ts';
import { type ApiRequest, type ServerApi, withServer } from '../../connection/server-api.ts';
import { type NamedKind, projects } from '../../kinds.ts';
import { type OutputFormat, outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { pause } from '../../pause.ts';

/** Lists a kind with the columns of the server, and watches it on request. */
export function listCommand(kind: NamedKind): CommandRun {
  return async (call) => {
    const format = await outputFormat(call.values);
    return await withServer(call, async (api) => {
      const everywhere = call.values.flag('all-projects');
      const where = { project: everywhere ? undefined : api.access.project };
      const ask: ApiRequest = {
        path: objectPath(api, kind, where),
        query: { labelSelector: call.values.text('selector') },
        signal: call.interrupted,
      };
      await showObjects(api, ask, call, {
        format,
        withProject: kind.inProject && everywhere,
        async emptyMessage() {
          if (!kind.inProject || everywhere) return `no ${kind.noun}s found`;
          // A missing project contains nothing either; the check reports a mistyped name.
          await rejectMissingProject(api, call);
          return `no ${kind.noun}s found in project "${api.access.project}"`;
        },
      });
      return undefined;
    });
  };
}

async function rejectMissingProject(api: ServerApi, call: CommandCall): Promise<void> {
  await getObject(api, projects, { signal: call.interrupted }, api.access.project).catch((error: unknown) => {
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
  });
}

const reconnectMilliseconds = 500;

export interface ShowOptions {
  readonly format: OutputFormat;
  readonly withProject: boolean;
  /** The message if there is nothing to show. */
  emptyMessage(): Promise<string>;
}

/** Shows a list or one object in the format that `-o` selects, and changes with `--watch`. */
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
  const first = await api.json({ ...ask, accept });
  const isEmpty = format.kind === 'table' && listAt(first, 'rows').length === 0;
  if (isEmpty) terminal.printToStderr(`${await showing.emptyMessage()}\n`);
  else print(first);
  if (!values.flag('watch')) return;
  let from = textAt(first, 'metadata', 'resourceVersion');
  for (;;) {
    from = await printChanges(api, { ...ask, accept }, from, print);
    // Avoids a tight loop if the server ends every stream immediately.
    await pause(reconnectMilliseconds, call.interrupted);
  }
}

/** Prints changes until the server ends the stream. Returns the resourceVersion to continue from. */
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
    // The history has expired: everything is listed again.
    const again = await api.json(ask);
    print(again);
    return textAt(again, 'metadata', 'resourceVersion');
  }
}

function projectIn(row: JsonValue): string {
  return projectOfNamespace(textAt(row, 'object', 'metadata', 'namespace')) ?? '';
}
