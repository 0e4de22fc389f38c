import { readLines } from '../../lib/read-lines.ts';
import { readBackup } from '../../store/backup.ts';

/** The result of reading a backup. */
export interface BackupContent {
  /** The number of rows in the backup after the header. */
  readonly rows: number;
}

const chunkLength = 64 * 1024;

/** Yields lines as UTF-8, in chunks of about 64 KiB. */
export async function* chunksOf(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let chunk = '';
  for await (const line of lines) {
    signal.throwIfAborted();
    chunk += `${line}\n`;
    if (chunk.length < chunkLength) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/** Reads a whole backup. Throws BackupError if it is damaged or incomplete. */
export async function verifyContent(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<BackupContent> {
  let rows = -1;
  for await (const _row of readBackup(readLines(chunks))) {
    signal.throwIfAborted();
    rows++;
  }
  return { rows };
}
