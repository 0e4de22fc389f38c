import type { JsonObject } from '@flotilla/json';
import { StatusError } from '../../../api/status.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { findKind, kindWithCommands } from '../../connection/find-kind.ts';
import { objectPath, tableMediaType } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { commandPath, type NamedKind } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { showObjects } from './object-list.ts';

interface Wanted {
  readonly kind: NamedKind;
  readonly name: string;
}

/** Returns lines with details about an object that its row in the table does not contain. */
export type ObjectDetails = (object: JsonObject, terminal: CommandCall['terminal'], now: number) => readonly string[];

/**
 * Returns the command that shows objects by their names. An argument `<kind>/<name>` selects an object of another kind.
 * `details` are printed after the table; optional.
 */
export function getCommand(given: NamedKind, details?: ObjectDetails): CommandRun {
  return async (call) => {
    const { values, terminal, interrupted: signal } = call;
    const format = await outputFormat(values);
    return await withServer(call, async (api) => {
      const { project } = api.access;
      const wanted: Wanted[] = [];
      const names = values.argumentList('name');
      for (const text of names) wanted.push(await wantedObject(api, given, text, signal));
      const [first] = wanted;
      if (values.flag('watch') && first !== undefined) {
        const { kind, name } = first;
        // This request fails if the object does not exist. The list request below would return an empty list.
        await api.json({ path: objectPath(api, kind, { project }, name), signal });
        const query = { fieldSelector: `metadata.name=${name}` };
        const ask = { path: objectPath(api, kind, { project }), query, signal };
        await showObjects(api, ask, call, {
          format,
          withProject: false,
          emptyMessage: async () => `${kind.noun} "${name}" was deleted`,
        });
        return undefined;
      }
      const accept = format.kind === 'table' ? tableMediaType : 'application/json';
      const found: { kind: NamedKind; response: JsonObject }[] = [];
      for (const { kind, name } of wanted) {
        const path = objectPath(api, kind, { project }, name);
        const response = await api.json({ path, accept, signal }).catch((error) => throwWithHint(error, given, names));
        found.push({ kind, response });
      }
      if (format.kind === 'objects') {
        const items = found.map(({ response }) => response);
        const [only] = items;
        terminal.print(
          format.print(items.length === 1 && only !== undefined ? only : { apiVersion: 'v1', kind: 'List', items }),
        );
        return undefined;
      }
      for (const plural of new Set(wanted.map(({ kind }) => kind.plural))) {
        const printer = new TablePrinter({ wide: format.wide, colors: terminal.colors });
        const tables = found.filter(({ kind }) => kind.plural === plural).map(({ response }) => response);
        const table = { ...tables[0], rows: tables.flatMap(({ rows }) => rows ?? []) };
        for (const line of printer.lines(table)) terminal.print(`${line}\n`);
      }
      for (const { kind, name } of details === undefined ? [] : wanted) {
        if (kind !== given) continue;
        const object = await api.json({ path: objectPath(api, kind, { project }, name), signal });
        for (const line of details?.(object, terminal, Date.now()) ?? []) terminal.print(`${line}\n`);
      }
      return undefined;
    });
  };
}

/**
 * Throws the error. If the user seems to have typed `cluster edge` instead of `cluster/edge`, the error explains how to
 * name objects of other kinds.
 */
function throwWithHint(error: unknown, given: NamedKind, [first = '', second]: readonly string[]): never {
  const kind = kindWithCommands(first);
  if (error instanceof StatusError && error.code === 404 && second !== undefined && kind !== undefined)
    throw new CliError(`${given.noun} "${first}" not found`, {
      next: `for the ${kind.noun}: flotilla ${commandPath(given, 'get')} ${first}/${second}`,
      cause: error,
    });
  throw error;
}

async function wantedObject(api: ServerApi, given: NamedKind, text: string, signal: AbortSignal): Promise<Wanted> {
  const slash = text.indexOf('/');
  if (slash < 0) return { kind: given, name: text };
  return { kind: await findKind(api, text.slice(0, slash), signal), name: text.slice(slash + 1) };
}
