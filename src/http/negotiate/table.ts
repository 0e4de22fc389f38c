import { writeJson } from '@flotilla/json';
import { WorkMeter } from '@flotilla/work-meter';
import type { ResourceKind } from '../../api/resource.ts';
import { badRequest } from '../../api/status.ts';
import { tableColumns, tableRow } from '../../api/table.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../registry/verbs.ts';
import type { JoinedText } from '../wire/generated-body.ts';
import type { ResponseTransform } from './negotiate.ts';
import { partialMetadataJson } from './partial-metadata.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Options for converting objects to the rows of a Table. */
export interface TableOptions {
  readonly version: ResponseTransform['version'];
  readonly include: IncludeObject;
  /** The current time in milliseconds since the epoch, from which the ages of objects are computed. */
  readonly now: number;
}

/** Returns the query parameter `includeObject`: the part of each object that a Table contains (rule NEG-23). */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

export function columnDefinitionsJson(kind: ResourceKind): string {
  return JSON.stringify(tableColumns(kind));
}

export function rowJson(kind: ResourceKind, served: ServedObject, options: TableOptions): string {
  const object = peekWithoutManagedFields(served);
  const cells = writeJson(tableRow(kind, object, options.now, rowMeter(kind, served)));
  if (options.include === 'None') return `{"cells":${cells}}`;
  const shown = options.include === 'Object' ? served.json() : partialMetadataJson(served, options.version);
  return `{"cells":${cells},"object":${shown}}`;
}

/**
 * The work limit for the cells of a row: a fixed number of units, plus some units for each character of the object. So
 * the work for a Table or a watch is proportional to the text of its objects (about 100 ms per MB at most), no object
 * can use up the work for the rows of other objects, and the limit for a row does not depend on the other objects of a
 * list. Three units per character are enough to search a usual object in dozens of columns, or to print it in several
 * columns.
 */
const unitsPerRow = 5_000;
const unitsPerCharacter = 3;

/**
 * Returns the work meter of a row; `undefined` for built-in kinds, whose columns are defined in the code of this
 * program.
 */
function rowMeter(kind: ResourceKind, served: ServedObject): WorkMeter | undefined {
  if (kind.builtIn === true || kind.columns === undefined) return undefined;
  const size = served.size ?? served.json().length;
  return new WorkMeter('printing the row', unitsPerRow + unitsPerCharacter * size);
}

/** Returns a Table. `columns` are the column definitions as JSON; `null` for later events of a watch (rule WATCH-30). */
export function tableJson(metadata: string, columns: string, rows: readonly string[], options: TableOptions): string {
  const { head, tail } = tableText(metadata, columns, rows, options);
  return `${head}${rows.join(',')}${tail}`;
}

export function tableText(
  metadata: string,
  columns: string,
  rows: Iterable<string>,
  options: TableOptions,
): JoinedText {
  const head = `"kind":"Table","apiVersion":"meta.k8s.io/${options.version}","metadata":${metadata}`;
  return { head: `{${head},"columnDefinitions":${columns},"rows":[`, items: rows, tail: ']}' };
}
