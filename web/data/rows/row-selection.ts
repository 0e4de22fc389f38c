import type { Row } from './table-rows.ts';

/** Returns the selection with the key added, or removed if it was selected. */
export function toggleKey(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Returns the selection with all rows from one row to another added, including these two rows. */
export function selectRange(
  selected: ReadonlySet<string>,
  rows: readonly Row[],
  from: string,
  to: string,
): ReadonlySet<string> {
  const [a, b] = [from, to].map((key) => rows.findIndex((row) => row.key === key)) as [number, number];
  if (a < 0 || b < 0) return toggleKey(selected, to);
  const keys = rows.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ key }) => key);
  return new Set([...selected, ...keys]);
}
