import { decodeKey, encodeKey, encodeRange, type Key, type KeyRange, sortedKeyDecoder } from '../key.ts';
import type { DumpRow, Entry, HistoryChunk, ListOptions, ListResult, Revision } from '../store.ts';
import { assertHistoryRetained, futureRevisionError } from '../store-error.ts';
import type { LevelHandle } from './level.ts';
import { getRows, keyChunks, maxChunkRows, rowChunks, type Snapshot, type StoredRow } from './level-rows.ts';
import { Rollback } from './rollback.ts';
import { RowDamagedError } from './row-checksum.ts';
import {
  dataRowKey,
  dataRowRange,
  decodeChange,
  decodeChangeKey,
  decodeChangeTime,
  decodePosition,
  decodeRow,
  decodeSliceHead,
  encodedKeyOfRow,
  encodeRow,
  historyRowRange,
  positionRowKey,
  revisionOfHistoryRow,
  type StorePosition,
  sliceOfRowKey,
  sliceRowKey,
  sliceRowRange,
} from './row-codec.ts';
import { newSliceHead, type SliceHead } from './stage.ts';

/** The result of a read, and the store revision at that time. Observers may not have received this revision yet. */
export interface ReadResult<T> {
  readonly result: T;
  readonly storeRevision: Revision;
}

export async function readEntry(db: LevelHandle, key: Key): Promise<ReadResult<Entry | undefined>> {
  const [stored, position] = await getRows(db, [dataRowKey(encodeKey(key)), positionRowKey]);
  return {
    result: stored === undefined ? undefined : entryOf(key, stored),
    storeRevision: positionOf(position).revision,
  };
}

function entryOf(key: Key, stored: string): Entry {
  const { value, revision } = decodeRow(stored);
  return { key, value, revision };
}

export async function readList(
  db: LevelHandle,
  range: KeyRange,
  options: ListOptions,
): Promise<ReadResult<ListResult>> {
  const { limit = Number.POSITIVE_INFINITY, after, atRevision, skipCount = false } = options;
  const snapshot = db.snapshot();
  try {
    const { position, head } = await readHead(db, snapshot, range.slice);
    const bounds = rowBounds(range, after);
    const rollback = new Rollback<string>();
    if (atRevision !== undefined) {
      if (atRevision > position.revision) throw futureRevisionError(atRevision, position.revision);
      assertHistoryRetained(range.slice, atRevision, head.floor);
      if (atRevision < head.revision) await undoSince(db, snapshot, { range, bounds, since: atRevision }, rollback);
    }

    const entries: Entry[] = [];
    let remaining = 0;
    const keyOf = sortedKeyDecoder();
    const take = (rows: readonly StoredRow[]) => {
      for (const [row, stored] of rows) {
        if (entries.length < limit) entries.push(entryOf(keyOf(encodedKeyOfRow(row)), stored));
        else remaining++;
      }
    };
    let last: string | undefined;
    for await (const rows of rowChunks(db, { ...bounds, snapshot }, () => limit - entries.length)) {
      take(rollback.merge(rows));
      last = rows.at(-1)?.[0];
      if (entries.length >= limit) break;
    }
    if (entries.length >= limit) {
      const rest = last === undefined ? bounds : { gt: last, lt: bounds.lt };
      for await (const keys of keyChunks(db, { ...rest, snapshot })) {
        remaining += rollback.merge(keys.map((row) => [row, ''])).length;
        if (skipCount && remaining > 0) break;
      }
    }
    take(rollback.rest());
    return {
      result: { entries, revision: atRevision ?? head.revision, remaining },
      storeRevision: position.revision,
    };
  } finally {
    await snapshot.close();
  }
}

interface UndoneRange {
  readonly range: KeyRange;
  /** The part of the range that is read. It excludes rows up to `ListOptions.after`. */
  readonly bounds: RowBounds;
  readonly since: Revision;
}

/** Calls `rollback.undo` for each change after revision `since` whose key is within `bounds`, in revision order. */
async function undoSince(
  db: LevelHandle,
  snapshot: Snapshot,
  { range, bounds, since }: UndoneRange,
  rollback: Rollback<string>,
): Promise<void> {
  const { from } = encodeRange(range);
  const start = 'gt' in bounds ? Buffer.from(bounds.gt) : undefined;
  for await (const rows of rowChunks(db, { ...historyRowRange(range.slice, since), snapshot })) {
    for (const [row, stored] of rows) {
      const text = decodeChangeKey(stored);
      if (!text.startsWith(from)) continue;
      if (start !== undefined && Buffer.from(dataRowKey(text)).compare(start) <= 0) continue;
      rollback.undo(dataRowKey(text), () => {
        const { previous } = decodeChange(stored, revisionOfHistoryRow(row)).change;
        return previous && encodeRow(previous);
      });
    }
  }
}

/**
 * Yields all changes of the range after revision `since`, up to and including `to`, in chunks. All chunks are read from
 * one snapshot. Throws StoreError Expired.
 */
export async function* readHistory(
  db: LevelHandle,
  range: KeyRange,
  since: Revision,
  to?: Revision,
): AsyncGenerator<HistoryChunk> {
  const snapshot = db.snapshot();
  try {
    const { head } = await readHead(db, snapshot, range.slice);
    assertHistoryRetained(range.slice, since, head.floor);
    const { from } = encodeRange(range);
    if (since < head.revision) {
      for await (const rows of rowChunks(db, { ...historyRowRange(range.slice, since, to), snapshot })) {
        const wanted = rows.filter(([, stored]) => decodeChangeKey(stored).startsWith(from));
        const changes = wanted.map(([row, stored]) => decodeChange(stored, revisionOfHistoryRow(row)).change);
        yield { changes, upTo: revisionOfHistoryRow(rows.at(-1)?.[0] ?? '') };
      }
    }
    yield { changes: [], upTo: head.revision };
  } finally {
    await snapshot.close();
  }
}

/**
 * The number of bytes after which `oldestChanges` ends. During the read, LevelDB keeps all tables that it has merged,
 * so a long read would occupy much space while the disk is full.
 */
const maxBytesOfChanges = 8 * 1024 * 1024;

/**
 * Returns the revisions of the oldest changes of a slice. Stops before the first change that `isRemovable` does not
 * accept. Returns at most `atMost` revisions. Returns fewer, but at least one, if many changes are large.
 */
export async function oldestChanges(
  db: LevelHandle,
  slice: string,
  atMost: number,
  isRemovable: (revision: Revision, time: number) => boolean,
): Promise<Revision[]> {
  const revisions: Revision[] = [];
  const limit = Math.min(atMost, maxChunkRows);
  let bytes = 0;
  for await (const rows of rowChunks(db, { ...historyRowRange(slice, 0), limit })) {
    for (const [row, stored] of rows) {
      if (!isRemovable(revisionOfHistoryRow(row), decodeChangeTime(stored))) return revisions;
      revisions.push(revisionOfHistoryRow(row));
      bytes += stored.length;
    }
    if (bytes >= maxBytesOfChanges) break;
  }
  return revisions;
}

/** Returns the encoded keys of one chunk of the range: the first rows after the key `after`. */
export async function readKeys(db: LevelHandle, range: KeyRange, after: Key | undefined): Promise<string[]> {
  const rows = await db.keys({ ...rowBounds(range, after), limit: maxChunkRows }).all();
  return rows.map(encodedKeyOfRow);
}

export async function* readAll(db: LevelHandle, identity: string): AsyncGenerator<DumpRow> {
  const snapshot = db.snapshot();
  try {
    const { revision } = positionOf((await getRows(db, [positionRowKey], { snapshot }))[0]);
    yield { row: 'head', identity, revision };
    for await (const rows of rowChunks(db, { ...sliceRowRange, snapshot })) {
      for (const [row, stored] of rows)
        yield { row: 'slice', slice: sliceOfRowKey(row), revision: decodeSliceHead(stored).revision };
    }
    for await (const rows of rowChunks(db, { ...dataRowRange, snapshot })) {
      for (const [row, stored] of rows)
        yield { row: 'entry', key: decodeKey(encodedKeyOfRow(row)), ...decodeRow(stored) };
    }
  } finally {
    await snapshot.close();
  }
}

type RowBounds = { readonly gte: string; readonly lt: string } | { readonly gt: string; readonly lt: string };

/** Returns the LevelDB bounds of the rows of a range that sort after `after`. */
function rowBounds(range: KeyRange, after: Key | undefined): RowBounds {
  const { from, to } = encodeRange(range);
  const bounds = { gte: dataRowKey(from), lt: dataRowKey(to) };
  if (after === undefined) return bounds;
  const start = dataRowKey(encodeKey(after));
  return Buffer.from(start).compare(Buffer.from(bounds.gte)) < 0 ? bounds : { gt: start, lt: bounds.lt };
}

async function readHead(
  db: LevelHandle,
  snapshot: Snapshot,
  slice: string,
): Promise<{ position: StorePosition; head: SliceHead }> {
  const [position, head] = await getRows(db, [positionRowKey, sliceRowKey(slice)], { snapshot });
  return { position: positionOf(position), head: head === undefined ? newSliceHead : decodeSliceHead(head) };
}

function positionOf(stored: string | undefined): StorePosition {
  if (stored === undefined) throw new RowDamagedError(positionRowKey);
  return decodePosition(stored);
}
