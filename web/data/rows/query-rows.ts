import type { KubeObject } from '../../../src/api/meta.ts';
import type { ListColumn } from './list-columns.ts';
import { type CompareRows, SortedRows } from './sorted-rows.ts';
import type { Row } from './table-rows.ts';

/** The search, filters and sort order of a list. */
export interface ListQuery {
  /** Search terms, separated by spaces. A row matches if it contains all terms. */
  readonly search?: string | undefined;
  /** The exact values that columns must have, by column name. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /**
   * The name of the column to sort by; a leading `-` sorts descending. Optional; defaults to the order of the server.
   */
  readonly sort?: string | undefined;
}

const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * The searched text of each row: the texts of all its columns. It can be cached by row, because rows are never
 * modified.
 */
const searched = new WeakMap<Row, string>();

function textOf<Type extends KubeObject>(row: Row<Type>, columns: readonly ListColumn<Type>[]): string {
  let text = searched.get(row);
  if (text === undefined) {
    text = columns
      // Age is not searched, because its cell contains the age at the time of the response.
      .filter(({ name }) => name !== 'Age')
      .map((column) => column.text(row))
      .join('\n')
      .toLowerCase();
    searched.set(row, text);
  }
  return text;
}

/**
 * Returns the matching rows in sort order. `sorted` caches the sort order of the previous call to speed up repeated
 * calls.
 */
export function queryRows<Type extends KubeObject>(
  rows: readonly Row<Type>[],
  columns: readonly ListColumn<Type>[],
  selection: ListQuery,
  sorted = new SortedRows<Type>(),
): readonly Row<Type>[] {
  const words = (selection.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const byColumn = columns.flatMap((column) => {
    const wanted = selection.filter?.[column.name];
    return wanted === undefined ? [] : [{ column, wanted }];
  });
  const kept =
    words.length === 0 && byColumn.length === 0
      ? rows
      : rows.filter(
          (row) =>
            byColumn.every(({ column, wanted }) => column.text(row) === wanted) &&
            words.every((word) => textOf(row, columns).includes(word)),
        );
  const { sort = '' } = selection;
  const compare = orderOf(columns, sort);
  return compare === undefined ? kept : sorted.sort(kept, sort, compare);
}

function orderOf<Type extends KubeObject>(
  columns: readonly ListColumn<Type>[],
  sort: string,
): CompareRows<Type> | undefined {
  const isDown = sort.startsWith('-');
  const column = columns.find(({ name }) => name === (isDown ? sort.slice(1) : sort));
  if (column === undefined) return undefined;
  const { rank } = column;
  const compare =
    rank === undefined
      ? (a: Row<Type>, b: Row<Type>) => order.compare(column.text(a), column.text(b))
      : (a: Row<Type>, b: Row<Type>) => rank(a) - rank(b);
  // Rows with equal values are sorted by name, always in ascending order, whatever the sort direction is.
  const direction = isDown ? -1 : 1;
  return (a, b) => direction * compare(a, b) || order.compare(a.key, b.key);
}

/** Returns the values of a column with the number of rows for each, the most frequent value first. */
export function columnFacets<Type extends KubeObject>(
  rows: readonly Row<Type>[],
  column: ListColumn<Type>,
): readonly { text: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = column.text(row);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([text, count]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || order.compare(a.text, b.text));
}

/** Returns, for each column, the row with the longest text. */
export function widestRows<Type extends KubeObject>(
  rows: readonly Row<Type>[],
  columns: readonly ListColumn<Type>[],
): readonly (Row<Type> | undefined)[] {
  return columns.map((column) => {
    let widest: Row<Type> | undefined;
    let length = 0;
    for (const row of rows) {
      const own = column.text(row).length;
      if (own <= length) continue;
      widest = row;
      length = own;
    }
    return widest;
  });
}
