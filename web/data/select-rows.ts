import type { ListColumn } from './list-columns.ts';
import { type CompareRows, SortedRows } from './sorted-rows.ts';
import type { Row } from './table-rows.ts';

/** What somebody wants to see of a list. */
export interface Selection {
  /** Words that all have to be somewhere in the row. */
  readonly words?: string | undefined;
  /** By name of the column: exactly this text. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** A column's name; with `-` in front from the greatest to the least. Absent: as the server has them. */
  readonly sort?: string | undefined;
}

const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Text of all columns, made once for each row: rows are never changed, only replaced. */
const searched = new WeakMap<Row, string>();

function textOf(row: Row, columns: readonly ListColumn[]): string {
  let text = searched.get(row);
  if (text === undefined) {
    text = columns
      // An age is of the moment in which it was told: nobody looks for it.
      .filter(({ name }) => name !== 'Age')
      .map((column) => column.text(row))
      .join('\n')
      .toLowerCase();
    searched.set(row, text);
  }
  return text;
}

/** `sorted`: the order of the last time, where the same rows are looked at again and again. */
export function selectRows(
  rows: readonly Row[],
  columns: readonly ListColumn[],
  selection: Selection,
  sorted = new SortedRows(),
): readonly Row[] {
  const words = (selection.words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
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

function orderOf(columns: readonly ListColumn[], sort: string): CompareRows | undefined {
  const isDown = sort.startsWith('-');
  const column = columns.find(({ name }) => name === (isDown ? sort.slice(1) : sort));
  if (column === undefined) return undefined;
  const { rank } = column;
  const compare =
    rank === undefined
      ? (a: Row, b: Row) => order.compare(column.text(a), column.text(b))
      : (a: Row, b: Row) => rank(a) - rank(b);
  // Equal ones stay in the order of their names, also from below.
  const direction = isDown ? -1 : 1;
  return (a, b) => direction * compare(a, b) || order.compare(a.key, b.key);
}

/** The texts that a column has, the most frequent first, with how many rows each. */
export function facetsOf(rows: readonly Row[], column: ListColumn): readonly { text: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = column.text(row);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([text, count]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || order.compare(a.text, b.text));
}

/** For each column the row whose text is the longest there. */
export function widestRows(rows: readonly Row[], columns: readonly ListColumn[]): readonly (Row | undefined)[] {
  return columns.map((column) => {
    let widest: Row | undefined;
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
