import { listAt, numberAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import { type Colours, phaseColour } from './colours.ts';
import { printable } from './printable.ts';

export interface TableOptions {
  /** Also the columns that the server keeps for wide screens. */
  readonly wide: boolean;
  /** The project of each object, before everything else. */
  readonly withProject?: (row: JsonValue) => string;
  readonly colours: Colours;
}

/** Prints the Tables that the server makes of its objects; in one that goes on, columns keep their widths. */
export class TablePrinter {
  readonly #options: TableOptions;
  #columns: readonly { readonly name: string; readonly at: number }[] = [];
  #widths: number[] = [];
  #hasHead = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** The lines of one Table; the head comes with the first. */
  lines(table: JsonObject): string[] {
    if (this.#columns.length === 0) this.#columns = this.#shown(table);
    const rows = listAt(table, 'rows').map((row) => this.#cells(row));
    const head = this.#hasHead || this.#columns.length === 0 ? [] : [this.#head()];
    for (const cells of [...head, ...rows]) {
      for (const [at, cell] of cells.entries()) this.#widths[at] = Math.max(this.#widths[at] ?? 0, cell.length);
    }
    this.#hasHead = true;
    return [...head.map((cells) => this.#line(cells, true)), ...rows.map((cells) => this.#line(cells, false))];
  }

  #shown(table: JsonObject): { name: string; at: number }[] {
    return listAt(table, 'columnDefinitions').flatMap((column, at) =>
      this.#options.wide || (numberAt(column, 'priority') ?? 0) === 0 ? [{ name: textAt(column, 'name'), at }] : [],
    );
  }

  #head(): string[] {
    const names = this.#columns.map(({ name }) => name.toUpperCase());
    return this.#options.withProject === undefined ? names : ['PROJECT', ...names];
  }

  #cells(row: JsonValue): string[] {
    const cells = this.#columns.map(({ at }) => cellText(listAt(row, 'cells')[at]));
    return this.#options.withProject === undefined ? cells : [this.#options.withProject(row), ...cells];
  }

  #line(cells: readonly string[], isHead: boolean): string {
    const { colours } = this.#options;
    return cells
      .map((cell, at) => {
        const padded = at === cells.length - 1 ? cell : cell.padEnd((this.#widths[at] ?? 0) + 3);
        return isHead ? colours.quiet(padded) : phaseColour(colours, cell)(padded);
      })
      .join('')
      .trimEnd();
  }
}

function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<none>';
  return printable((typeof value === 'string' ? value : String(value)).replaceAll(/\s+/g, ' '));
}

/** A table of our own, for what the server has none for. */
export function plainTable(head: readonly string[], rows: readonly (readonly string[])[], colours: Colours): string {
  const printer = new TablePrinter({ wide: true, colours });
  const lines = printer.lines({
    columnDefinitions: head.map((name) => ({ name })),
    rows: rows.map((cells) => ({ cells: [...cells] })),
  });
  return `${lines.join('\n')}\n`;
}
