import type { Level } from './level.ts';
import { verifyRow } from './row-checksum.ts';

export type Snapshot = ReturnType<Level['snapshot']>;
export type StoredRow = readonly [row: string, content: string];

export interface ChunkOptions {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt: string;
  readonly limit?: number;
  readonly snapshot?: Snapshot;
}

/** Limits of one read from LevelDB, so that other work can run in between. */
export const maxChunkRows = 1000;
const bytesAtOnce = 1024 * 1024;

/** Returns the contents of the rows in order; `undefined` for a row that does not exist. Throws RowDamagedError. */
export async function getRows(
  db: Level,
  rows: readonly string[],
  options: { readonly snapshot?: Snapshot } = {},
): Promise<(string | undefined)[]> {
  const stored = await db.getMany([...rows], options);
  return rows.map((row, index) => {
    const found = stored[index];
    return found === undefined ? undefined : verifyRow(row, found);
  });
}

/** Like `getRows`, but synchronous. */
export function getRowsSync(db: Level, rows: readonly string[]): (string | undefined)[] {
  return rows.map((row) => {
    const found = db.getSync(row);
    return found === undefined ? undefined : verifyRow(row, found);
  });
}

/** `wanted` returns how many more rows the caller needs, as far as it knows. Throws RowDamagedError. */
export async function* rowChunks(
  db: Level,
  options: ChunkOptions,
  wanted: () => number = () => Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredRow[]> {
  const iterator = db.iterator({ ...options, highWaterMarkBytes: bytesAtOnce });
  const read = (most: number): Promise<[string, string][]> => {
    if (most <= 0) return Promise.resolve([]);
    const rows = iterator.nextv(Math.min(maxChunkRows, most));
    // A caller that stops early does not get the error of a read that it did not request.
    rows.catch(() => {});
    return rows;
  };
  try {
    for (let nextRead = read(wanted()); ; ) {
      const rows = await nextRead;
      if (rows.length === 0) return;
      // Read the next chunk in the background while this one is used, unless this one may be the last that is wanted.
      const isAll = wanted() === Number.POSITIVE_INFINITY;
      if (isAll) nextRead = read(Number.POSITIVE_INFINITY);
      for (const pair of rows) pair[1] = verifyRow(pair[0], pair[1]);
      yield rows;
      if (!isAll) nextRead = read(wanted());
    }
  } finally {
    await iterator.close();
  }
}

export async function* keyChunks(db: Level, options: ChunkOptions): AsyncGenerator<string[]> {
  const iterator = db.keys({ ...options, highWaterMarkBytes: bytesAtOnce });
  try {
    for (let keys = await iterator.nextv(maxChunkRows); keys.length > 0; keys = await iterator.nextv(maxChunkRows)) {
      yield keys;
    }
  } finally {
    await iterator.close();
  }
}
