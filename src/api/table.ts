import { type JsonValue, writeJson } from '@flotilla/json';
import { tryChargeJson, type WorkMeter } from '@flotilla/work-meter';
import { cellUnits } from './cell-units.ts';
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

/**
 * Returns the columns of a kind: first the name, then the kind's own columns, or the age if it has none (rules
 * TABLE-03, TABLE-04).
 */
export function tableColumns(kind: Tabular): ColumnDefinition[] {
  const own = columnsOf(kind).map((column) => {
    const { name, format = '', description = '', priority = 0 } = column;
    return { name, type: announcedType(kind, column), format, description, priority };
  });
  return namesItself(kind) ? own : [nameColumn, ...own];
}

/**
 * True if the kind defines its own name column. The kind Event does, because its name is the last column, not the
 * first.
 */
function namesItself(kind: Tabular): boolean {
  return kind.builtIn === true && columnsOf(kind).some(({ name }) => name === nameColumn.name);
}

/** Returns the column type in the response. As in Kubernetes, built-in kinds declare ages and integers as strings. */
function announcedType(kind: Tabular, { type, verbatim, announcedType: announced }: Column): string {
  if (announced !== undefined) return announced;
  if (kind.builtIn !== true || verbatim === true) return type;
  return type === 'date' || type === 'integer' ? 'string' : type;
}

/**
 * The text of a cell whose value takes too much work to find or to print. The request does not fail, because one
 * malicious object or column would otherwise make the whole list unreadable for everybody. All other cells are correct,
 * and `-o yaml` shows the value. Cells of the types integer, number and boolean are null instead.
 */
export const unknownCell = '<unknown>';

/**
 * Returns the cells of an object, one per column. `now` is in milliseconds since the epoch. `meter` limits the work for
 * the row; without it, the work is not limited.
 */
export function tableRow(kind: Tabular, object: KubeObject, now: number, meter?: WorkMeter): JsonValue[] {
  const own = columnsOf(kind).map(
    (column) => cell(column, column.value(object, now, meter), now, meter) ?? absentCell(kind, column),
  );
  return namesItself(kind) ? own : [object.metadata.name ?? '', ...own];
}

/** Returns the content of a cell; null for missing values and values of the wrong type (rule TABLE-06). */
function cell(column: Column, value: JsonValue | undefined, now: number, meter: WorkMeter | undefined): JsonValue {
  if (value === undefined || value === null) return null;
  switch (column.type) {
    case 'string':
      return textCell(value, meter);
    case 'date':
      if (value === unknownCell) return value;
      if (typeof value !== 'string') return null;
      return column.verbatim === true ? value : formatAge(value, now);
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'integer':
      if (typeof value === 'string' && column.announcedType === 'string') return value;
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
  }
}

/** The cells for absent values of built-in kinds. Go prints the zero value of the cell's type. */
const zeroCells: Readonly<Record<Column['type'], JsonValue>> = {
  string: '',
  date: '<unknown>',
  boolean: false,
  integer: 0,
  number: 0,
};

function absentCell({ builtIn }: Tabular, { type }: Column): JsonValue {
  return builtIn === true ? zeroCells[type] : null;
}

/**
 * The maximum length of a text that is printed without charging the meter. Because of this limit, one expensive column
 * does not hide the short texts in other columns.
 */
const maxFreeLength = 256;

function textCell(value: JsonValue, meter: WorkMeter | undefined): string {
  if (typeof value === 'string') {
    const isPrintable = value.length <= maxFreeLength || meter === undefined || meter.tryCharge(value.length);
    return isPrintable ? value : unknownCell;
  }
  const isPrintable = typeof value !== 'object' || meter === undefined || tryChargeJson(meter, value, cellUnits);
  return isPrintable ? writeJson(value) : unknownCell;
}

/** The maximum length of a timestamp. No timestamp is longer, and the time to parse a text must be limited. */
const maxTimestampLength = 256;

/** Returns the age of a timestamp in the format of `kubectl get` (rule TABLE-05). */
export function formatAge(timestamp: string, now: number): string {
  if (timestamp === '') return '<unknown>';
  if (timestamp.length > maxTimestampLength) return '<invalid>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : formatDuration(now - then);
}

/**
 * Formats a duration as `kubectl get` does: with at most two units, and with only one unit if the duration is long.
 * Prints a duration of -1 second as 0s, because clocks may differ.
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
