import { projectColumn, serverColumns } from './list-columns.ts';
import type { RowsSnapshot } from './live-rows.ts';
import { columnFacets } from './query-rows.ts';
import type { Row } from './table-rows.ts';

/** Returns the text accessor of a server column, by its name. */
export function columnText({ columns }: Pick<RowsSnapshot, 'columns'>, name: string): (row: Row) => string {
  return serverColumns(columns).find((column) => column.name === name)?.text ?? (() => '');
}

/** The number of rows; `undefined` until all are loaded, and without permission to list. */
export function loadedCount({ state, columns, rows }: RowsSnapshot): number | undefined {
  // An interrupted list may never have loaded; a response without rows still has columns.
  const isKnown = state === 'live' || (state === 'interrupted' && columns.length > 0);
  return isKnown ? rows.length : undefined;
}

export interface TextCount {
  readonly text: string;
  readonly count: number;
}

/** In display order. An instance without a phase counts as Pending. */
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

/** The number of virtual clusters by project, largest first. */
export function countByProject({ rows }: Pick<RowsSnapshot, 'rows'>): readonly TextCount[] {
  return columnFacets(rows, projectColumn);
}
