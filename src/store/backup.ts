import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { programVersion } from '../lib/program-version.ts';
import type { LevelHandle } from './embedded/level.ts';
import type { LevelOperation } from './embedded/level-database.ts';
import { openLevel, writeStoreState } from './embedded/level-open.ts';
import { withChecksum } from './embedded/row-checksum.ts';
import { dataRowKey, encodeRow, encodeSliceHead, restoringRowKey, sliceRowKey } from './embedded/row-codec.ts';
import { encodeKey } from './key.ts';
import { lineChecksumHolds, withLineChecksum } from './line-checksum.ts';
import type { DumpRow, Revision, Store } from './store.ts';

const format = 'flotilla-backup';
const version = 1;

/**
 * The number of revisions that a restore or a migration skips. Clients may have seen revisions that were assigned after
 * the backup. These revisions must not be assigned again. No store assigns this many revisions between a backup and its
 * restore. After the restore, revisions are still far below the limit of 2^53.
 */
export const revisionsSkipped = 1_000_000_000;

/** Thrown if a backup is incomplete or modified, or if the target directory is not empty. Operators see the message. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BackupError';
  }
}

interface Header {
  readonly format: string;
  readonly version: number;
  readonly identity: string;
  readonly revision: Revision;
  /** Absent in backups of older versions. */
  readonly time?: string;
  readonly sealedKeys?: string;
  /** The version of the program that made the backup. Absent in backups of older versions. */
  readonly program?: string;
  /** True if the header and every row have a checksum of their own. */
  readonly lineChecksums?: boolean;
}

interface Footer {
  /** The number of lines between the header and the footer. */
  readonly rows: number;
  /** The SHA-256 of all lines before the footer, each with its newline. */
  readonly sha256: string;
}

/**
 * Yields a snapshot of the store, one JSON document per line, without newlines. Writes can continue during the backup.
 */
export async function* backupLines(store: Store): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let rows = -1;
  for await (const row of store.dump()) {
    const line = withLineChecksum(JSON.stringify(row.row === 'head' ? headerOf(row) : row));
    hash.update(`${line}\n`);
    rows++;
    yield line;
  }
  yield JSON.stringify({ rows, sha256: hash.digest('hex') } satisfies Footer);
}

function headerOf({ identity, revision }: Extract<DumpRow, { row: 'head' }>): Header {
  const time = new Date().toISOString();
  return { format, version, identity, revision, time, program: programVersion, lineChecksums: true };
}

/**
 * Yields the lines of a backup, with encrypted keys added to its header. Throws BackupError if the checksum does not
 * match.
 */
export async function* withSealedKeys(lines: AsyncIterable<string>, sealedKeys: string): AsyncGenerator<string> {
  const [received, written] = [createHash('sha256'), createHash('sha256')];
  let previous: string | undefined;
  for await (const line of lines) {
    if (previous !== undefined) received.update(`${previous}\n`);
    previous = line;
    const parsed = parseLine(line, 1);
    if (isFooter(parsed)) {
      if (parsed.sha256 !== received.digest('hex')) throw new BackupError('the backup is incomplete; try again');
      yield JSON.stringify({ rows: parsed.rows, sha256: written.digest('hex') } satisfies Footer);
      return;
    }
    const { crc, ...header } = parsed;
    const json = JSON.stringify({ ...header, sealedKeys });
    const output = parsed.format !== format ? line : crc === undefined ? json : withLineChecksum(json);
    written.update(`${output}\n`);
    yield output;
  }
}

/**
 * Yields the rows of a backup. Throws BackupError at the first damaged line, or at the end if the checksum does not
 * match. The caller must not use any row until all rows were yielded.
 */
export async function* readBackup(lines: AsyncIterable<string>): AsyncGenerator<DumpRow> {
  const hash = createHash('sha256');
  let hasHeader = false;
  let hasChecksums = false;
  let footer: Footer | undefined;
  let rows = 0;
  let number = 0;
  for await (const line of lines) {
    number++;
    if (footer !== undefined) throw new BackupError('the backup has data after its checksum line');
    const parsed = parseLine(line, number);
    if (hasHeader && isFooter(parsed)) {
      footer = parsed;
      continue;
    }
    if (hasHeader) {
      if (hasChecksums && lineChecksumHolds(line) !== true) throw damagedLine(number);
      rows++;
      yield asRow(parsed, number);
    } else {
      hasHeader = true;
      const { format: _format, version: _version, ...head } = asHeader(parsed);
      hasChecksums = head.lineChecksums === true;
      const holds = lineChecksumHolds(line);
      if (holds === false || (hasChecksums && holds === undefined)) throw damagedLine(number);
      yield { row: 'head', ...head };
    }
    hash.update(`${line}\n`);
  }
  if (!hasHeader) throw new BackupError('the backup is empty');
  if (footer === undefined) throw new BackupError('the backup is truncated: its checksum line is missing');
  if (footer.rows !== rows || footer.sha256 !== hash.digest('hex')) {
    const where = hasChecksums ? '; each row is intact, so rows are missing or added, or the last line is damaged' : '';
    throw new BackupError(`the backup was modified or damaged: its checksum does not match${where}`);
  }
}

/** Creates a store from a backup; see `restoreRows`. The store can be opened only after the checksum was verified. */
export function restoreBackup(lines: AsyncIterable<string>, directory: string): Promise<RestoredStore> {
  return restoreRows(readBackup(lines), directory);
}

export interface RestoredStore {
  readonly identity: string;
  readonly entries: number;
  /** The revision that the first write will exceed. */
  readonly revision: Revision;
}

/**
 * Creates an embedded store from the rows of a dump, with the same identity and entries. A dump contains no history,
 * and every slice starts at the revision of the restored store. Watches that started before the restore end with
 * Expired, because their caches may contain changes that are not in the dump. The directory must be empty or absent.
 * The store can be opened only after all rows were read. On an error, the directory is empty again.
 */
export async function restoreRows(rows: AsyncIterable<DumpRow>, directory: string): Promise<RestoredStore> {
  await assertEmpty(directory);
  try {
    const db = await openLevel(directory);
    try {
      await db.put(restoringRowKey, '', { sync: true });
      return await restoreInto(db, rows);
    } finally {
      await db.close();
    }
  } catch (error) {
    for (const file of await readdir(directory)) await rm(join(directory, file), { recursive: true });
    throw error;
  }
}

async function assertEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0)
    throw new BackupError(`the directory ${directory} is not empty; restore into an empty or new directory`);
}

async function restoreInto(db: LevelHandle, rows: AsyncIterable<DumpRow>): Promise<RestoredStore> {
  const writer = new BatchWriter(db);
  let head: { readonly identity: string; readonly revision: Revision } | undefined;
  let entries = 0;
  let revision = 0;
  for await (const row of rows) {
    if (row.row === 'head') {
      head = row;
      revision = row.revision + revisionsSkipped;
    } else await writer.add(operationOf(row, revision));
    if (row.row === 'entry') entries++;
  }
  if (head === undefined) throw new BackupError('the dump is empty');
  await writer.flush();
  const { identity } = head;
  await writeStoreState(db, identity, { revision, batch: 0 });
  return { identity, entries, revision };
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {}
  throw new BackupError(number === 1 ? 'this is not a Flotilla backup' : `line ${number} of the backup is damaged`);
}

function damagedLine(number: number): BackupError {
  return new BackupError(`line ${number} of the backup is damaged`);
}

function asHeader(line: Record<string, unknown>): Header {
  const { identity, revision } = line;
  if (line.format !== format) throw new BackupError('this is not a Flotilla backup');
  if (typeof line.version === 'number' && line.version > version) {
    throw new BackupError(
      `the backup was written by a newer version: its format is ${line.version}, this version supports up to ${version}`,
    );
  }
  if (line.version !== version || typeof identity !== 'string' || !isRevision(revision)) {
    throw new BackupError('line 1 of the backup is damaged');
  }
  return {
    format,
    version,
    identity,
    revision,
    ...(typeof line.time === 'string' ? { time: line.time } : {}),
    ...(typeof line.sealedKeys === 'string' ? { sealedKeys: line.sealedKeys } : {}),
    ...(typeof line.program === 'string' ? { program: line.program } : {}),
    ...(line.lineChecksums === true ? { lineChecksums: true } : {}),
  };
}

function isFooter(line: Record<string, unknown>): line is Record<string, unknown> & Footer {
  return typeof line.rows === 'number' && typeof line.sha256 === 'string';
}

type BackupRow = Exclude<DumpRow, { row: 'head' }>;

function asRow(line: Record<string, unknown>, number: number): BackupRow {
  const { row, slice, key, value, revision, unlogged } = line;
  if (isRevision(revision)) {
    if (row === 'slice' && typeof slice === 'string') return { row, slice, revision };
    if (row === 'entry' && typeof value === 'string' && isKey(key)) {
      return { row, key, value, revision, ...(unlogged === true ? { unlogged } : {}) };
    }
  }
  throw damagedLine(number);
}

function isRevision(value: unknown): value is Revision {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isKey(value: unknown): value is { slice: string; segments: string[] } {
  if (typeof value !== 'object' || value === null || !('slice' in value) || !('segments' in value)) return false;
  const { slice, segments } = value;
  return (
    typeof slice === 'string' && Array.isArray(segments) && segments.every((segment) => typeof segment === 'string')
  );
}

/** `restored` is the revision of the restored store. */
function operationOf(row: BackupRow, restored: Revision): LevelOperation {
  const put = (key: string, content: string): LevelOperation => {
    return { type: 'put', key, value: withChecksum(key, content) };
  };
  if (row.row === 'entry') return put(dataRowKey(encodeKey(row.key)), encodeRow(row));
  return put(sliceRowKey(row.slice), encodeSliceHead({ revision: restored, floor: restored, changes: 0 }));
}

/**
 * Writes rows in batches. Flushes each batch to disk, because a flush covers only the current log file of LevelDB, and
 * earlier batches may be in an older log file.
 */
class BatchWriter {
  static readonly #maxOperations = 1000;
  static readonly #maxLength = 1024 * 1024;
  readonly #db: LevelHandle;
  #operations: LevelOperation[] = [];
  #length = 0;

  constructor(db: LevelHandle) {
    this.#db = db;
  }

  async add(operation: LevelOperation): Promise<void> {
    this.#operations.push(operation);
    this.#length += 'value' in operation ? operation.value.length : 0;
    if (this.#operations.length >= BatchWriter.#maxOperations || this.#length >= BatchWriter.#maxLength) {
      await this.flush();
    }
  }

  async flush(): Promise<void> {
    await this.#db.batch(this.#operations, { sync: true });
    this.#operations = [];
    this.#length = 0;
  }
}
