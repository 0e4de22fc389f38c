import { type JsonValue, writeJson } from '@flotilla/json';
import { ageColumn } from './columns.ts';
import type { KubeObject } from './meta.ts';
import type { Column, ResourceKind } from './resource.ts';

/** A column definition in a Table response. It always has all five members (rule TABLE-02). */
export type ColumnDefinition = {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
};

type Tabular = Pick<ResourceKind, 'columns' | 'builtIn'>;

const nameColumn: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object. It is unique among the objects of the same kind and namespace.',
  priority: 0,
};

function columnsOf(kind: Tabular): readonly Column[] {
  return kind.columns ?? [ageColumn];
}

/** Returns the columns of a kind: the name, then the kind's own columns or the age (rules TABLE-03, TABLE-04). */
export function tableColumns(kind: Tabular): ColumnDefinition[] {
  const own = columnsOf(kind).map((column) => {
    const { name, format = '', description = '', priority = 0 } = column;
    return { name, type: announcedType(kind, column), format, description, priority };
  });
  return namesItself(kind) ? own : [nameColumn, ...own];
}

/** True if the kind defines its own name column. Events do, because they show their name last. */
function namesItself(kind: Tabular): boolean {
  return kind.builtIn === true && columnsOf(kind).some(({ name }) => name === nameColumn.name);
}

/** Returns the column type in the response. As in Kubernetes, built-in kinds declare ages and integers as strings. */
function announcedType(kind: Tabular, { type, verbatim }: Column): string {
  if (kind.builtIn !== true || verbatim === true) return type;
  return type === 'date' || type === 'integer' ? 'string' : type;
}

/** Returns the cells of an object, one per column. `now` is in milliseconds since the epoch. */
export function tableRow(kind: Tabular, object: KubeObject, now: number): JsonValue[] {
  const own = columnsOf(kind).map((column) => cell(column, object, now));
  return namesItself(kind) ? own : [object.metadata.name ?? '', ...own];
}

/** Returns the value of a cell. Missing values and values of the wrong type are null (rule TABLE-06). */
function cell(column: Column, object: KubeObject, now: number): JsonValue {
  const value = column.value(object, now);
  if (value === undefined || value === null) return null;
  switch (column.type) {
    case 'string':
      return typeof value === 'string' ? value : writeJson(value);
    case 'date':
      if (typeof value !== 'string') return null;
      return column.verbatim === true ? value : formatAge(value, now);
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
  }
}

/** Returns the age of a timestamp in the format of `kubectl get` (rule TABLE-05). */
export function formatAge(timestamp: string, now: number): string {
  if (timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : formatDuration(now - then);
}

/**
 * Formats a duration as `kubectl get` does: in at most two units, and in one unit if it is long. A duration of -1
 * second is printed as 0s, because clocks may differ.
 */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

function twoUnits(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${second}${secondUnit}`;
}
