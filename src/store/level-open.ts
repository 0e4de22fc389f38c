import { randomUUID } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { getRows, rowChunks } from './level-rows.ts';
import { withChecksum } from './row-check.ts';
import {
  allSliceRows,
  decodeHead,
  decodePosition,
  encodePosition,
  identityRow,
  type Position,
  positionRow,
  restoringRow,
  schemaRow,
  schemaVersion,
  sliceOf,
} from './row-codec.ts';
import type { SliceHead } from './stage.ts';
import { findStoreDamage } from './store-damage.ts';
import { StoreError } from './store-error.ts';
import { writeBufferOn } from './write-buffer.ts';

export type Level = ClassicLevel<string, string>;

/** What is known of a store once it is open. */
export interface StoreState {
  readonly identity: string;
  readonly position: Position;
  readonly heads: Map<string, SliceHead>;
}

/** Throws CannotOpen, and then holds nothing. */
export async function openLevel(directory: string): Promise<Level> {
  let writeBufferSize: number;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await assertNotInUse(directory);
    await assertWhole(directory);
    const { blocks, bsize } = await statfs(directory);
    writeBufferSize = writeBufferOn(blocks * bsize);
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpen(directory, error);
  }
  const db: Level = new ClassicLevel(directory, { writeBufferSize });
  try {
    await db.open();
    return db;
  } catch (error) {
    await db.close();
    throw cannotOpen(directory, error);
  }
}

async function assertWhole(directory: string): Promise<void> {
  const damage = await findStoreDamage(directory);
  if (damage === undefined) return;
  // Files come and go while somebody works with them.
  await assertNotInUse(directory);
  throw damaged(directory, damage);
}

/** LevelDB takes its lock first; told that there must be no store yet, it lets go of it and has touched nothing. */
async function assertNotInUse(directory: string): Promise<void> {
  const db: Level = new ClassicLevel(directory, { createIfMissing: false, errorIfExists: true });
  try {
    await db.open();
  } catch (error) {
    if (!/error_if_exists|create_if_missing/.test(rootCause(error).message)) throw cannotOpen(directory, error);
  } finally {
    await db.close();
  }
}

/** Reads what the store says of itself; makes it if the store is new. Throws CannotOpen. */
export async function loadState(db: Level, directory: string): Promise<StoreState> {
  const schema = await db.get(schemaRow);
  if (schema === undefined) {
    if ((await db.keys({ limit: 1 }).all()).length > 0) {
      throw damaged(
        directory,
        'it is not a whole store (a restore that did not finish, or not a store of this program)',
      );
    }
    return initialise(db);
  }
  if (Number(schema) > schemaVersion) {
    const versions = `its format is ${schema}, this program knows up to ${schemaVersion}`;
    throw new StoreError('CannotOpen', `data directory ${directory} was written by a newer version: ${versions}`);
  }
  if (Number(schema) !== schemaVersion) throw damaged(directory, `its format is ${JSON.stringify(schema)}`);
  try {
    const [identity, position] = await getRows(db, [identityRow, positionRow]);
    if (identity === undefined || position === undefined) throw new Error('rows about the store are missing');
    const heads = new Map<string, SliceHead>();
    for await (const rows of rowChunks(db, allSliceRows)) {
      for (const [row, stored] of rows) heads.set(sliceOf(row), decodeHead(stored));
    }
    const state = { identity, position: decodePosition(position), heads };
    for (const { revision } of heads.values()) {
      if (revision > state.position.revision) throw new Error('a slice is ahead of the store');
    }
    return state;
  } catch (error) {
    throw damaged(directory, error instanceof Error ? error.message : String(error));
  }
}

async function initialise(db: Level): Promise<StoreState> {
  const state = { identity: randomUUID(), position: { revision: 1, batch: 0 }, heads: new Map<string, SliceHead>() };
  await writeState(db, state.identity, state.position);
  return state;
}

/** Makes the directory a store: the first thing in a new one, the last in a restored one. */
export async function writeState(db: Level, identity: string, position: Position): Promise<void> {
  await db.batch(
    [
      { type: 'put', key: schemaRow, value: String(schemaVersion) },
      { type: 'put', key: identityRow, value: withChecksum(identityRow, identity) },
      { type: 'put', key: positionRow, value: withChecksum(positionRow, encodePosition(position)) },
      { type: 'del', key: restoringRow },
    ],
    { sync: true },
  );
}

function damaged(directory: string, why: string): StoreError {
  return new StoreError('CannotOpen', `data directory ${directory} is damaged: ${oneLine(why)}`);
}

function cannotOpen(directory: string, error: unknown): StoreError {
  const cause = rootCause(error);
  const code = codeOf(cause);
  if (code === 'LEVEL_LOCKED') {
    return new StoreError('CannotOpen', `data directory ${directory} is in use by another process`);
  }
  // Of the other files LevelDB looks at nothing when it opens.
  if (code === 'LEVEL_CORRUPTION') return damaged(directory, `its MANIFEST: ${cause.message}`);
  const message = `data directory ${directory} cannot be opened: ${oneLine(cause.message)}`;
  return new StoreError('CannotOpen', message, undefined, { cause: error });
}

/** classic-level wraps what LevelDB said into an error that says only that the database is not open. */
export function rootCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause === undefined ? error : rootCause(error.cause);
}

export function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
