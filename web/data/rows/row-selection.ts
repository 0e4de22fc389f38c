import type { Row } from './table-rows.ts';

/** Adds the key to the selection, or removes it. */
export function toggleKey(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Adds all rows between two rows, in display order, to the selection. */
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
