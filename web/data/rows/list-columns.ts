import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import { projectOfNamespace } from '../../../src/api/naming.ts';
import type { ColumnDefinition } from '../../../src/api/table.ts';
import type { Row } from './table-rows.ts';

/** A column of a list, from the server or added by the page. */
export interface ListColumn<Type extends KubeObject = KubeObject> {
  readonly name: string;
  /** The tooltip of the column header. */
  readonly about: string;
  /** True if the column is shown only with "More columns". */
  readonly isWide: boolean;
  /** The text for search, filters and default rendering. */
  text(row: Row<Type>): string;
  /** The sort key. Optional; defaults to the text. */
  rank?(row: Row<Type>): number;
}

export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : String(value);
}

/**
 * The server's columns in its order. Age sorts by creation time, as the cell holds the age at the time of the response.
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

/** The project of an object in a project namespace. */
export const projectColumn: ListColumn = {
  name: 'Project',
  about: 'The project that contains it.',
  isWide: false,
  text: ({ metadata }) => projectOfNamespace(metadata.namespace ?? '') ?? metadata.namespace ?? '',
};

export const namespaceColumn: ListColumn = {
  name: 'Namespace',
  about: 'The namespace that contains it.',
  isWide: false,
  text: ({ metadata }) => metadata.namespace ?? '',
};
