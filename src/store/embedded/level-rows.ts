import type { LevelHandle } from './level.ts';
import { verifyRow } from './row-checksum.ts';

export type Snapshot = ReturnType<LevelHandle['snapshot']>;
export type StoredRow = readonly [row: string, content: string];

export interface ChunkOptions {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt: string;
  readonly limit?: number;
  readonly snapshot?: Snapshot;
}

/** The maximum number of rows and bytes per read from LevelDB, so that other work can run between two reads. */
export const maxChunkRows = 1000;
const bytesAtOnce = 1024 * 1024;

/**
 * Returns the contents of rows, in the order of `rows`. `undefined` if a row does not exist. Throws RowDamagedError.
 */
export async function getRows(
  db: LevelHandle,
  rows: readonly string[],
  options: { readonly snapshot?: Snapshot } = {},
): Promise<(string | undefined)[]> {
  const stored = await db.getMany([...rows], options);
  return rows.map((row, index) => {
    const found = stored[index];
    return found === undefined ? undefined : verifyRow(row, found);
  });
}

/** Returns the contents of rows like `getRows`, but synchronously. */
export function getRowsSync(db: LevelHandle, rows: readonly string[]): (string | undefined)[] {
  return rows.map((row) => {
    const found = db.getSync(row);
    return found === undefined ? undefined : verifyRow(row, found);
  });
}

/**
 * Yields the rows of a range in chunks. `wanted` returns the maximum number of further rows that the caller needs;
 * infinity if it needs all. Throws RowDamagedError.
 */
export async function* rowChunks(
  db: LevelHandle,
  options: ChunkOptions,
  wanted: () => number = () => Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredRow[]> {
  const iterator = db.iterator({ ...options, highWaterMarkBytes: bytesAtOnce });
  const read = (most: number): Promise<[string, string][]> => {
    if (most <= 0) return Promise.resolve([]);
    const rows = iterator.nextv(Math.min(maxChunkRows, most));
    // The read may have been started in advance. If the caller stops before it needs the rows, an error of the read
    // must not become an unhandled rejection.
    rows.catch(() => {});
    return rows;
  };
  try {
    for (let nextRead = read(wanted()); ; ) {
      const rows = await nextRead;
      if (rows.length === 0) return;
      // If the caller needs all rows, the next chunk is read in the background while the caller processes this one.
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

export async function* keyChunks(db: LevelHandle, options: ChunkOptions): AsyncGenerator<string[]> {
  const iterator = db.keys({ ...options, highWaterMarkBytes: bytesAtOnce });
  try {
    for (let keys = await iterator.nextv(maxChunkRows); keys.length > 0; keys = await iterator.nextv(maxChunkRows)) {
      yield keys;
    }
  } finally {
    await iterator.close();
  }
}
