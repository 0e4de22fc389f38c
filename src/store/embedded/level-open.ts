import { randomUUID } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { type Log, silentLog } from '../../lib/log.ts';
import { findDroppedRecord, findStoreDamage } from '../integrity/store-damage.ts';
import { StoreError } from '../store-error.ts';
import type { LevelHandle } from './level.ts';
import { getRows, rowChunks } from './level-rows.ts';
import { withChecksum } from './row-checksum.ts';
import {
  decodePosition,
  decodeSliceHead,
  encodePosition,
  identityRowKey,
  positionRowKey,
  restoringRowKey,
  type StorePosition,
  schemaRowKey,
  schemaVersion,
  sliceOfRowKey,
  sliceRowRange,
} from './row-codec.ts';
import type { SliceHead } from './stage.ts';
import { removeUnusedTables } from './unused-tables.ts';
import { writeBufferBytes } from './write-buffer.ts';

/** The state that is loaded into memory when a store is opened. */
export interface StoreState {
  readonly identity: string;
  readonly position: StorePosition;
  readonly heads: Map<string, SliceHead>;
}

/** Opens LevelDB and verifies its files. Throws StoreError CannotOpen; the directory is not locked then. */
export async function openLevel(directory: string, log: Log = silentLog): Promise<LevelHandle> {
  let writeBufferSize: number;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await assertNotInUse(directory);
    await assertUndamaged(directory);
    await removeUnusedTables(directory);
    await warnAboutDroppedRecord(directory, log);
    const { blocks, bsize } = await statfs(directory);
    writeBufferSize = writeBufferBytes(blocks * bsize);
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpen(directory, error);
  }
  const db: LevelHandle = new ClassicLevel(directory, { writeBufferSize });
  try {
    await db.open();
    return db;
  } catch (error) {
    await db.close();
    throw cannotOpen(directory, error);
  }
}

/**
 * Logs that the last record of a log is dropped. After a crash this is normal: the record was being written and was not
 * acknowledged. But damage in the last write looks the same.
 */
async function warnAboutDroppedRecord(directory: string, log: Log): Promise<void> {
  const place = await findDroppedRecord(directory);
  if (place === undefined) return;
  log.warn(
    { directory, place },
    'the last record of the log of the store is unreadable and is dropped: a crash interrupted this write, or the file is damaged; if the server was stopped properly, check the disk',
  );
}

async function assertUndamaged(directory: string): Promise<void> {
  const damage = await findStoreDamage(directory);
  if (damage === undefined) return;
  // Another process may use the store: files then appear and disappear, which can look like damage.
  await assertNotInUse(directory);
  throw damaged(directory, damage);
}

/**
 * Throws if another process holds the lock of the store. Opens the store with `errorIfExists`: LevelDB acquires the
 * lock, fails because the store exists, and releases the lock without changing anything.
 */
async function assertNotInUse(directory: string): Promise<void> {
  const db: LevelHandle = new ClassicLevel(directory, { createIfMissing: false, errorIfExists: true });
  try {
    await db.open();
  } catch (error) {
    if (!/error_if_exists|create_if_missing/.test(rootCause(error).message)) throw cannotOpen(directory, error);
  } finally {
    await db.close();
  }
}

/** Loads the state of a store. Initializes the store if it is new. Throws StoreError CannotOpen. */
export async function loadStoreState(db: LevelHandle, directory: string): Promise<StoreState> {
  const schema = await db.get(schemaRowKey);
  if (schema === undefined) {
    if ((await db.keys({ limit: 1 }).all()).length > 0) {
      throw damaged(directory, 'it is not a complete store (an unfinished restore, or not a store of this program)');
    }
    return initialize(db);
  }
  if (Number(schema) > schemaVersion) {
    const versions = `its format is ${schema}, this version supports up to ${schemaVersion}`;
    throw new StoreError('CannotOpen', `data directory ${directory} was written by a newer version: ${versions}`);
  }
  if (Number(schema) !== schemaVersion) throw damaged(directory, `its format is ${JSON.stringify(schema)}`);
  try {
    const [identity, position] = await getRows(db, [identityRowKey, positionRowKey]);
    if (identity === undefined || position === undefined) throw new Error('its metadata rows are missing');
    const heads = new Map<string, SliceHead>();
    for await (const rows of rowChunks(db, sliceRowRange)) {
      for (const [row, stored] of rows) heads.set(sliceOfRowKey(row), decodeSliceHead(stored));
    }
    const state = { identity, position: decodePosition(position), heads };
    for (const { revision } of heads.values()) {
      if (revision > state.position.revision)
        throw new Error('the revision of a slice is higher than that of the store');
    }
    return state;
  } catch (error) {
    throw damaged(directory, error instanceof Error ? error.message : String(error));
  }
}

async function initialize(db: LevelHandle): Promise<StoreState> {
  const state = { identity: randomUUID(), position: { revision: 1, batch: 0 }, heads: new Map<string, SliceHead>() };
  await writeStoreState(db, state.identity, state.position);
  return state;
}

/**
 * Writes the rows that make a directory a valid store. This is the first write of a new store and the last write of a
 * restore.
 */
export async function writeStoreState(db: LevelHandle, identity: string, position: StorePosition): Promise<void> {
  await db.batch(
    [
      { type: 'put', key: schemaRowKey, value: String(schemaVersion) },
      { type: 'put', key: identityRowKey, value: withChecksum(identityRowKey, identity) },
      { type: 'put', key: positionRowKey, value: withChecksum(positionRowKey, encodePosition(position)) },
      { type: 'del', key: restoringRowKey },
    ],
    { sync: true },
  );
}

function damaged(directory: string, why: string): StoreError {
  return new StoreError('CannotOpen', `data directory ${directory} is damaged: ${oneLine(why)}`);
}

function cannotOpen(directory: string, error: unknown): StoreError {
  const cause = rootCause(error);
  const code = errorCodeOf(cause);
  if (code === 'LEVEL_LOCKED') {
    return new StoreError('CannotOpen', `data directory ${directory} is in use by another process`);
  }
  // The manifest is the only file that LevelDB verifies when it opens a store.
  if (code === 'LEVEL_CORRUPTION') return damaged(directory, `its MANIFEST: ${cause.message}`);
  const message = `data directory ${directory} cannot be opened: ${oneLine(cause.message)}`;
  return new StoreError('CannotOpen', message, undefined, { cause: error });
}

/** Returns the innermost cause of an error. classic-level wraps the errors of LevelDB in errors without details. */
export function rootCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause === undefined ? error : rootCause(error.cause);
}

export function errorCodeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
