import { programVersion } from '../lib/program-version.ts';
import type { Key } from '../store/key.ts';
import type { Entry, Revision, Store } from '../store/store.ts';

/** The lowest and highest version of the stored format that a program can read and write. */
export type SchemaRange = readonly [lowest: number, highest: number];

/**
 * The key of the row with the version of the stored format. The version determines which rows exist and what their
 * values mean. All servers write rows in this version. The row belongs to the installation, so backups and migrations
 * copy it. The layout of keys inside etcd or the embedded database has its own version, which each store checks when it
 * is opened.
 */
export const schemaKey: Key = { slice: 'installation', segments: ['schema'] };

/** The schema of a store without the schema row. */
const firstSchema = 1;

export interface StoredSchema {
  /** The schema version in the row; NaN if the row is damaged. */
  readonly schema: number;
  /** The revision of the row; `undefined` if it does not exist. */
  readonly revision: Revision | undefined;
}

export async function readSchema(store: Pick<Store, 'get'>): Promise<StoredSchema> {
  return parseSchema(await store.get(schemaKey));
}

export function parseSchema(row: Pick<Entry, 'value' | 'revision'> | undefined): StoredSchema {
  if (row === undefined) return { schema: firstSchema, revision: undefined };
  return { schema: /^[1-9]\d{0,8}$/.test(row.value) ? Number(row.value) : Number.NaN, revision: row.revision };
}

/** Returns the reason why this program must not use a store with this schema; `undefined` if there is none. */
export function schemaProblem(schema: number, [lowest, highest]: SchemaRange): string | undefined {
  if (schema >= lowest && schema <= highest) return undefined;
  if (Number.isNaN(schema)) return 'the row installation/schema of the store is damaged; restore a backup';
  const supported = lowest === highest ? `schema ${lowest}` : `schemas ${lowest} to ${highest}`;
  const found = `the store has schema ${schema}, and this version of Flotilla (${programVersion}) supports ${supported}`;
  return schema > highest
    ? `${found}; newer servers have upgraded the store, so start a newer version`
    : `${found}; first run a version that supports schema ${schema} and schema ${lowest} on all servers`;
}
