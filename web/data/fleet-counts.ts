import { projectColumn, serverColumns } from './list-columns.ts';
import type { RowsSnapshot } from './live-rows.ts';
import { facetsOf } from './select-rows.ts';
import type { Row } from './table-rows.ts';

/** The text of one of the server's columns, by its name. */
export function columnText({ columns }: Pick<RowsSnapshot, 'columns'>, name: string): (row: Row) => string {
  return serverColumns(columns).find((column) => column.name === name)?.text ?? (() => '');
}

/** How many there are: undefined before all of them have come, and where one may not know. */
export function knownCount({ state, columns, rows }: RowsSnapshot): number | undefined {
  // What is interrupted may never have begun; an answer without rows has columns, too.
  const isKnown = state === 'live' || (state === 'interrupted' && columns.length > 0);
  return isKnown ? rows.length : undefined;
}

export interface Count {
  readonly text: string;
  readonly count: number;
}

/** In the order in which a virtual cluster lives. What the server says nothing of yet is on its way. */
const phases = ['Ready', 'Sleeping', 'Pending', 'Failed', 'Terminating'];

export function countByPhase(snapshot: Pick<RowsSnapshot, 'columns' | 'rows'>): readonly Count[] {
  const status = columnText(snapshot, 'Status');
  const counts = new Map(phases.map((phase) => [phase, 0]));
  for (const row of snapshot.rows) {
    const phase = status(row) || 'Pending';
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => ({ text, count }));
}

/** The projects with the most virtual clusters first. */
export function countByProject({ rows }: Pick<RowsSnapshot, 'rows'>): readonly Count[] {
  return facetsOf(rows, projectColumn);
}
