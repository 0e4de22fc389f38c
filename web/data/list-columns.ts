import { projectOfNamespace } from '../../src/api/naming.ts';
import type { ColumnDefinition } from '../../src/api/table.ts';
import type { JsonValue } from '../../src/lib/json-value.ts';
import type { Row } from './table-rows.ts';

/** A column of a list: one of the server's own, or one that the page adds. */
export interface ListColumn {
  readonly name: string;
  /** What the column tells, for whoever points at its head. */
  readonly about: string;
  /** Shown only when somebody asks for more. */
  readonly isWide: boolean;
  /** What is searched, filtered and shown where the page draws nothing else. */
  text(row: Row): string;
  /** What is sorted by; absent: the text. */
  rank?(row: Row): number;
}

export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : String(value);
}

/** Columns of the server, in its order. An age is that of the object: the cell says how old it was when it was told. */
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

/** Which project an object in a project's namespace belongs to. */
export const projectColumn: ListColumn = {
  name: 'Project',
  about: 'Project that it belongs to.',
  isWide: false,
  text: ({ metadata }) => projectOfNamespace(metadata.namespace ?? '') ?? metadata.namespace ?? '',
};

export const namespaceColumn: ListColumn = {
  name: 'Namespace',
  about: 'Namespace that it is in.',
  isWide: false,
  text: ({ metadata }) => metadata.namespace ?? '',
};
