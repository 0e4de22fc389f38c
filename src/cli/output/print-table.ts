import type { JsonObject, JsonValue } from '@flotilla/json';
import { TextTable, tableOf } from '../../client/text-table.ts';
import { type Colors, phaseColor } from './colors.ts';

export interface TableOptions {
  /** True to include the columns that the server defines for wide output. */
  readonly wide: boolean;
  /**
   * Returns the project of a row. The first column then shows the project. Optional; by default, the project is not
   * shown.
   */
  readonly withProject?: (row: JsonValue) => string;
  readonly colors: Colors;
}

/** Formats Tables from the server as text with the colors of the terminal. */
export class TablePrinter {
  readonly #table: TextTable;

  constructor({ wide, withProject, colors }: TableOptions) {
    this.#table = new TextTable({
      wide,
      ...(withProject === undefined ? {} : { lead: { name: 'PROJECT', of: withProject } }),
      style: {
        header: (padded) => colors.quiet(padded),
        cell: (text, padded) => phaseColor(colors, text)(padded),
      },
    });
  }

  /** Returns the lines of one Table. Only the first call returns the header line. */
  lines(table: JsonObject): string[] {
    return this.#table.lines(table);
  }
}

/** Formats a table from rows that the client creates itself. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[], colors: Colors): string {
  const printer = new TablePrinter({ wide: true, colors });
  return `${printer.lines(tableOf(head, rows)).join('\n')}\n`;
}
