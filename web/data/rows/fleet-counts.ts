import { projectColumn, serverColumns } from './list-columns.ts';
import type { RowsSnapshot } from './live-rows.ts';
import { columnFacets } from './query-rows.ts';
import type { Row } from './table-rows.ts';

/** Returns a function that reads the text of the server column `name` from a row. */
export function columnText({ columns }: Pick<RowsSnapshot, 'columns'>, name: string): (row: Row) => string {
  return serverColumns(columns).find((column) => column.name === name)?.text ?? (() => '');
}

/** Returns the number of rows. `undefined` if not all rows are loaded yet, or if the caller may not list them. */
export function loadedCount({ state, columns, rows }: RowsSnapshot): number | undefined {
  // True also for a list that was interrupted after loading. Such a list has columns, because even a response without
  // rows contains columns.
  const isKnown = state === 'live' || (state === 'interrupted' && columns.length > 0);
  return isKnown ? rows.length : undefined;
}

export interface TextCount {
  readonly text: string;
  readonly count: number;
}

/** The phases in display order. An instance without a phase counts as Pending. */
const phases = ['Ready', 'Sleeping', 'Pending', 'Failed', 'Terminating'];

export function countByPhase(snapshot: Pick<RowsSnapshot, 'columns' | 'rows'>): readonly TextCount[] {
  const status = columnText(snapshot, 'Status');
  const counts = new Map(phases.map((phase) => [phase, 0]));
  for (const row of snapshot.rows) {
    const phase = status(row) || 'Pending';
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => ({ text, count }));
}

/** Returns the number of virtual clusters in each project, the largest number first. */
export function countByProject({ rows }: Pick<RowsSnapshot, 'rows'>): readonly TextCount[] {
  return columnFacets(rows, projectColumn);
}
