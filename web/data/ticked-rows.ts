import type { Row } from './table-rows.ts';

/** One more, or one less. */
export function toggled(ticked: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(ticked);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** All from one row to another, in the order in which they stand; those that are ticked already stay so. */
export function tickedRange(
  ticked: ReadonlySet<string>,
  rows: readonly Row[],
  from: string,
  to: string,
): ReadonlySet<string> {
  const [a, b] = [from, to].map((key) => rows.findIndex((row) => row.key === key)) as [number, number];
  if (a < 0 || b < 0) return toggled(ticked, to);
  const keys = rows.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ key }) => key);
  return new Set([...ticked, ...keys]);
}
