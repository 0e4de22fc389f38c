import { type JsonObject, type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import { type Colors, phaseColor } from './colors.ts';
import { escapeControlCharacters } from './escape-controls.ts';

export interface TableOptions {
  /** True to include the columns that the server defines for wide output. */
  readonly wide: boolean;
  /** Returns the project of a row. If present, the first column shows the project. Optional. */
  readonly withProject?: (row: JsonValue) => string;
  readonly colors: Colors;
}

/** Formats Tables from the server as text. Rows that a watch adds later are aligned with the columns above them. */
export class TablePrinter {
  readonly #options: TableOptions;
  #columns: readonly { readonly name: string; readonly at: number }[] = [];
  #widths: number[] = [];
  #hasHeader = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** Returns the lines of one Table. Only the first call returns the header line. */
  lines(table: JsonObject): string[] {
    if (this.#columns.length === 0) this.#columns = this.#shown(table);
    const rows = listAt(table, 'rows').map((row) => this.#cells(row));
    const head = this.#hasHeader || this.#columns.length === 0 ? [] : [this.#header()];
    for (const cells of [...head, ...rows]) {
      for (const [at, cell] of cells.entries()) this.#widths[at] = Math.max(this.#widths[at] ?? 0, cell.length);
    }
    this.#hasHeader = true;
    return [...head.map((cells) => this.#line(cells, true)), ...rows.map((cells) => this.#line(cells, false))];
  }

  #shown(table: JsonObject): { name: string; at: number }[] {
    return listAt(table, 'columnDefinitions').flatMap((column, at) =>
      this.#options.wide || (numberAt(column, 'priority') ?? 0) === 0 ? [{ name: textAt(column, 'name'), at }] : [],
    );
  }

  #header(): string[] {
    const names = this.#columns.map(({ name }) => name.toUpperCase());
    return this.#options.withProject === undefined ? names : ['PROJECT', ...names];
  }

  #cells(row: JsonValue): string[] {
    const cells = this.#columns.map(({ at }) => cellText(listAt(row, 'cells')[at]));
    return this.#options.withProject === undefined ? cells : [this.#options.withProject(row), ...cells];
  }

  #line(cells: readonly string[], isHeader: boolean): string {
    const { colors } = this.#options;
    return cells
      .map((cell, at) => {
        const padded = at === cells.length - 1 ? cell : cell.padEnd((this.#widths[at] ?? 0) + 3);
        return isHeader ? colors.quiet(padded) : phaseColor(colors, cell)(padded);
      })
      .join('')
      .trimEnd();
  }
}

function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<none>';
  return escapeControlCharacters((typeof value === 'string' ? value : String(value)).replaceAll(/\s+/g, ' '));
}

/** Formats a table from rows that the client creates itself. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[], colors: Colors): string {
  const printer = new TablePrinter({ wide: true, colors });
  const lines = printer.lines({
    columnDefinitions: head.map((name) => ({ name })),
    rows: rows.map((cells) => ({ cells: [...cells] })),
  });
  return `${lines.join('\n')}\n`;
}
