import { type JsonObject, type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import { escapeControlCharacters } from './escape-controls.ts';

export interface TextTableOptions {
  /** True to include the columns that the server defines for wide output. */
  readonly wide: boolean;
  /** An additional column to the left of the server's columns, such as the namespace of a row. Optional. */
  readonly lead?: { readonly name: string; of(row: JsonValue): string };
  /** Adds color to a cell. `padded` is the text with its padding. Optional. */
  readonly style?: { header(padded: string): string; cell(text: string, padded: string): string };
}

/** Formats Tables from a server as text. Rows that a watch adds later are aligned with the columns above them. */
export class TextTable {
  readonly #options: TextTableOptions;
  #columns: readonly { readonly name: string; readonly at: number }[] = [];
  #widths: number[] = [];
  #hasHeader = false;

  constructor(options: TextTableOptions) {
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
    const { lead } = this.#options;
    const names = this.#columns.map(({ name }) => name.toUpperCase());
    return lead === undefined ? names : [lead.name, ...names];
  }

  #cells(row: JsonValue): string[] {
    const { lead } = this.#options;
    const cells = this.#columns.map(({ at }) => cellText(listAt(row, 'cells')[at]));
    return lead === undefined ? cells : [lead.of(row), ...cells];
  }

  #line(cells: readonly string[], isHeader: boolean): string {
    const { style } = this.#options;
    return cells
      .map((cell, at) => {
        const padded = at === cells.length - 1 ? cell : cell.padEnd((this.#widths[at] ?? 0) + 3);
        if (style === undefined) return padded;
        return isHeader ? style.header(padded) : style.cell(cell, padded);
      })
      .join('')
      .trimEnd();
  }
}

function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<none>';
  return escapeControlCharacters((typeof value === 'string' ? value : String(value)).replaceAll(/\s+/g, ' '));
}

/** Returns a Table of rows that the client creates itself. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): JsonObject {
  return {
    columnDefinitions: head.map((name) => ({ name })),
    rows: rows.map((cells) => ({ cells: [...cells] })),
  };
}
