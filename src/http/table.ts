import { ageColumn } from '../api/columns.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Column, ResourceKind } from '../api/resource.ts';
import { badRequest } from '../api/status.ts';
import type { JsonValue } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { Served } from '../registry/verbs.ts';
import { ageText } from './age-text.ts';
import type { Transform } from './negotiate.ts';
import { partialMetadataJson } from './partial-metadata.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** How the rows of a Table are to be made. */
export interface TableOptions {
  readonly version: Transform['version'];
  readonly include: IncludeObject;
  /** For ages, in milliseconds since the epoch. */
  readonly now: number;
}

/** Rule NEG-23. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const nameColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique among those of its kind in its namespace.',
  priority: 0,
};

function columnsOf(kind: ResourceKind): readonly Column[] {
  return kind.columns ?? [ageColumn];
}

/** All five members in each, the name first (rules TABLE-02 to TABLE-04). */
export function columnDefinitionsJson(kind: ResourceKind): string {
  const others = columnsOf(kind).map((column) => ({
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority ?? 0,
  }));
  return JSON.stringify([nameColumn, ...others]);
}

export function rowJson(kind: ResourceKind, served: Served, options: TableOptions): string {
  const { object } = served;
  const cells = columnsOf(kind).map((column) => cell(column, object, options.now));
  const json = writeJson([object.metadata.name ?? '', ...cells]);
  if (options.include === 'None') return `{"cells":${json}}`;
  const shown = options.include === 'Object' ? served.json() : partialMetadataJson(object, options.version);
  return `{"cells":${json},"object":${shown}}`;
}

/** `columns` is the JSON of the definitions: later events of a watch leave them out (rule WATCH-30). */
export function tableJson(metadata: string, columns: string, rows: readonly string[], options: TableOptions): string {
  const head = `"kind":"Table","apiVersion":"meta.k8s.io/${options.version}","metadata":${metadata}`;
  return `{${head},"columnDefinitions":${columns},"rows":[${rows.join(',')}]}`;
}

/** Rules TABLE-05 and TABLE-06. */
function cell(column: Column, object: KubeObject, now: number): JsonValue {
  const value = column.value(object, now);
  if (value === undefined || value === null) return null;
  if (column.type === 'date') return typeof value === 'string' ? age(value, now) : '<invalid>';
  if (column.type === 'string') return typeof value === 'string' ? value : writeJson(value);
  if (column.type === 'boolean') return typeof value === 'boolean' ? value : null;
  return typeof value === 'number' || typeof value === 'bigint' ? value : null;
}

function age(timestamp: string, now: number): string {
  if (timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : ageText(now - then);
}
