import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import { projectOfNamespace } from '../../../src/api/naming.ts';
import type { ColumnDefinition } from '../../../src/api/table.ts';
import type { Row } from './table-rows.ts';

/** A column of a list, defined by the server or by the page. */
export interface ListColumn<Type extends KubeObject = KubeObject> {
  readonly name: string;
  /** The tooltip of the column header. */
  readonly about: string;
  /** True if the column is shown only when "More columns" is on. */
  readonly isWide: boolean;
  /** Returns the text of a cell, for search, filters and the default rendering. */
  text(row: Row<Type>): string;
  /** Returns the sort key of a row. Optional; by default rows are sorted by text. */
  rank?(row: Row<Type>): number;
}

/** Returns a column name in sentence case for display: "Display name" for the server column `Display Name`. */
export function columnTitle(name: string): string {
  return name.replaceAll(/ [A-Z](?=[a-z])/g, (start) => start.toLowerCase());
}

export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : String(value);
}

/**
 * Returns the server's columns in the server's order. The column Age is sorted by creation time, because its cells
 * contain the age at the time of the response.
 */
export function serverColumns(definitions: readonly ColumnDefinition[]): ListColumn[] {
  return definitions.map(({ name, description, priority, type }, index) => ({
    name,
    about: description,
    isWide: priority > 0,
    text: (row) => cellText(row.cells[index]),
    ...(name === 'Age'
      ? { rank: (row: Row) => -Date.parse(row.metadata.creationTimestamp ?? '') || 0 }
      : type === 'integer' || type === 'number'
        ? { rank: (row: Row) => Number(row.cells[index] ?? Number.NEGATIVE_INFINITY) }
        : {}),
  }));
}

/** A column with the project of an object, which is derived from its project namespace. */
export const projectColumn: ListColumn = {
  name: 'Project',
  about: 'The project that contains the object.',
  isWide: false,
  text: ({ metadata }) => projectOfNamespace(metadata.namespace ?? '') ?? metadata.namespace ?? '',
};

export const namespaceColumn: ListColumn = {
  name: 'Namespace',
  about: 'The namespace that contains the object.',
  isWide: false,
  text: ({ metadata }) => metadata.namespace ?? '',
};
