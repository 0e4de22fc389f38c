import type { Level } from './level-open.ts';
import { checkedRow } from './row-check.ts';

export type Snapshot = ReturnType<Level['snapshot']>;
export type StoredRow = readonly [row: string, content: string];

export interface ChunkOptions {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt: string;
  readonly limit?: number;
  readonly snapshot?: Snapshot;
}

/** At most this much is taken from LevelDB at a time: in between, others get their turn. */
export const rowsAtOnce = 1000;
const bytesAtOnce = 1024 * 1024;

/** What these rows hold, in their order; undefined: nothing. Throws RowDamaged. */
export async function getRows(
  db: Level,
  rows: readonly string[],
  options: { readonly snapshot?: Snapshot } = {},
): Promise<(string | undefined)[]> {
  const stored = await db.getMany([...rows], options);
  return rows.map((row, index) => {
    const found = stored[index];
    return found === undefined ? undefined : checkedRow(row, found);
  });
}

/** The same at once, on this thread. */
export function getRowsNow(db: Level, rows: readonly string[]): (string | undefined)[] {
  return rows.map((row) => {
    const found = db.getSync(row);
    return found === undefined ? undefined : checkedRow(row, found);
  });
}

/** `wanted`: how many more rows are, as far as the caller knows. Throws RowDamaged. */
export async function* rowChunks(
  db: Level,
  options: ChunkOptions,
  wanted: () => number = () => Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredRow[]> {
  const iterator = db.iterator({ ...options, highWaterMarkBytes: bytesAtOnce });
  const read = (most: number): Promise<[string, string][]> => {
    if (most <= 0) return Promise.resolve([]);
    const rows = iterator.nextv(Math.min(rowsAtOnce, most));
    // Who takes no more rows does not hear of it either if the next could not be read.
    rows.catch(() => {});
    return rows;
  };
  try {
    for (let coming = read(wanted()); ; ) {
      const rows = await coming;
      if (rows.length === 0) return;
      // Another thread reads on while these are used, unless they may turn out to be all that is wanted.
      const isAll = wanted() === Number.POSITIVE_INFINITY;
      if (isAll) coming = read(Number.POSITIVE_INFINITY);
      for (const pair of rows) pair[1] = checkedRow(pair[0], pair[1]);
      yield rows;
      if (!isAll) coming = read(wanted());
    }
  } finally {
    await iterator.close();
  }
}

export async function* keyChunks(db: Level, options: ChunkOptions): AsyncGenerator<string[]> {
  const iterator = db.keys({ ...options, highWaterMarkBytes: bytesAtOnce });
  try {
    for (let keys = await iterator.nextv(rowsAtOnce); keys.length > 0; keys = await iterator.nextv(rowsAtOnce)) {
      yield keys;
    }
  } finally {
    await iterator.close();
  }
}
