import type { KubeObject, ListMeta, ObjectMeta } from '../../src/api/meta.ts';
import { type Status, StatusError } from '../../src/api/status.ts';
import type { ColumnDefinition } from '../../src/api/table.ts';
import type { ItemEvent } from '../../src/client/resource-client.ts';
import { parseTrustedJson } from '../../src/lib/json-parse.ts';
import type { JsonValue } from '../../src/lib/json-value.ts';

/** What is asked for with it is a Table: the server's own columns, as `kubectl get` prints them. */
export const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json';

/** An object as a row of its kind's Table. */
export interface Row {
  /** Namespace and name: one row for each. */
  readonly key: string;
  readonly metadata: ObjectMeta;
  readonly cells: readonly JsonValue[];
  /** The whole object, or no more than its metadata, as was asked for. */
  readonly object: KubeObject;
}

export interface TablePage {
  readonly columns: readonly ColumnDefinition[];
  readonly rows: readonly Row[];
  readonly resourceVersion: string;
  readonly continue: string;
  /** How many more there are after this page; absent where the server does not say. */
  readonly remaining: number | undefined;
}

type WireTable = {
  metadata: ListMeta;
  columnDefinitions?: ColumnDefinition[] | null;
  rows?: { cells: JsonValue[]; object: KubeObject }[] | null;
};

export function rowKey(metadata: ObjectMeta): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** Who owns which field is of no use in a list, and half of what an object weighs. */
function toRow({ cells, object }: { cells: JsonValue[]; object: KubeObject }): Row {
  const { managedFields: _, ...metadata } = object.metadata;
  return { key: rowKey(metadata), metadata, cells, object: { ...object, metadata } as KubeObject };
}

export function readTable(text: string): TablePage {
  const table = parseTrustedJson(text) as unknown as WireTable;
  const { resourceVersion = '', continue: more = '', remainingItemCount } = table.metadata;
  return {
    columns: table.columnDefinitions ?? [],
    rows: (table.rows ?? []).map(toRow),
    resourceVersion,
    continue: more,
    remaining: remainingItemCount,
  };
}

/** A line of a watch whose objects are Tables of one row. */
export function readTableEvent(line: string): ItemEvent<Row> {
  const event = parseTrustedJson(line) as unknown as { type: string; object: WireTable };
  if (event.type === 'ERROR') throw new StatusError(event.object as unknown as Status);
  const [wire] = event.object.rows ?? [];
  if (event.type === 'BOOKMARK') {
    return {
      type: 'BOOKMARK',
      resourceVersion: wire?.object.metadata.resourceVersion ?? event.object.metadata.resourceVersion ?? '',
    };
  }
  if (wire === undefined) throw new Error('a watch sent a Table without a row');
  return { type: event.type as 'ADDED' | 'MODIFIED' | 'DELETED', object: toRow(wire) };
}
