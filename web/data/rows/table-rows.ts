import { type JsonValue, parseTrustedJson } from '@flotilla/json';
import type { KubeObject, ListMeta, ObjectMeta } from '../../../src/api/meta.ts';
import { type Status, StatusError } from '../../../src/api/status.ts';
import type { ColumnDefinition } from '../../../src/api/table.ts';
import type { ItemEvent } from '../../../src/client/resource-client.ts';

/** The Accept header that requests a Table, which contains the columns that `kubectl get` prints. */
export const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json';

/** An object and its row in the Table of its kind. */
export interface Row<Type extends KubeObject = KubeObject> {
  /** The namespace and name, which together are unique in a list. */
  readonly key: string;
  readonly metadata: ObjectMeta;
  readonly cells: readonly JsonValue[];
  /** The whole object, or only its metadata, depending on the request. */
  readonly object: Type;
}

export interface TablePage {
  readonly columns: readonly ColumnDefinition[];
  readonly rows: readonly Row[];
  readonly resourceVersion: string;
  readonly continue: string;
  /** The number of items after this page; `undefined` if the server does not report it. */
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

/** Converts a row of the response. Drops the managed fields, because they are about half of an object's size. */
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

/** Reads a watch event. Its object is a Table with one row. */
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
  if (wire === undefined) throw new Error('watch event contains a Table without rows');
  return { type: event.type as 'ADDED' | 'MODIFIED' | 'DELETED', object: toRow(wire) };
}
