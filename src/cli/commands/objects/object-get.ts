import type { JsonObject } from '@flotilla/json';
import type { CommandRun } from '../../command-spec.ts';
import { objectPath, tableMediaType } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import type { NamedKind } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { showObjects } from './object-list.ts';

/** Returns the command that shows objects by their names. */
export function getCommand(kind: NamedKind): CommandRun {
  return async (call) => {
    const { values, terminal, interrupted: signal } = call;
    const format = await outputFormat(values);
    const names = values.argumentList('name');
    return await withServer(call, async (api) => {
      const { project } = api.access;
      if (values.flag('watch')) {
        const [name = ''] = names;
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
      const found: JsonObject[] = [];
      for (const name of names)
        found.push(await api.json({ path: objectPath(api, kind, { project }, name), accept, signal }));
      if (format.kind === 'objects') {
        const [only] = found;
        terminal.print(
          format.print(
            found.length === 1 && only !== undefined ? only : { apiVersion: 'v1', kind: 'List', items: found },
          ),
        );
        return undefined;
      }
      const printer = new TablePrinter({ wide: format.wide, colors: terminal.colors });
      const rows = found.flatMap((table) => table.rows ?? []);
      const table = { ...found[0], rows };
      for (const line of printer.lines(table)) terminal.print(`${line}\n`);
      return undefined;
    });
  };
}
