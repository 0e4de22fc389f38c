import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import type { AuditLog, LineBeginning } from './audit-log.ts';
import { EventText } from './event-text.ts';
import { GatheredLines } from './gathered-lines.ts';
import { type Append, quickAppend } from './quick-append.ts';
import { redactLine, redactUri, redactUserAgent } from './redact.ts';

export interface AuditLogOptions {
  readonly path: string;
  /** A file that reached this is set aside. 64 MiB holds some 150,000 lines and still opens in an editor. */
  readonly maxBytes?: number;
  /** How many files set aside are kept, besides the one being written: `audit.log.1` is the youngest. */
  readonly keptFiles?: number;
  /** How bytes get into the file. Absent: quickly, where it is one. */
  readonly append?: Append;
}

export const defaultAuditMaxBytes = 64 * 1024 * 1024;
export const defaultAuditKeptFiles = 5;

/** Lines waiting for the disk. Every request in flight waits for its own, so this is reached only if the disk stands still. */
const mostWaiting = 10_000;

interface Waiting {
  readonly bytes: Uint8Array;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * JSON lines, one writer. Lines are written at once where the file is quick, those of the same moment together; each
 * caller learns whether its own line was handed over. A line is whole or not there: what a failed write left behind is
 * cut off before the next.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const maxBytes = options.maxBytes ?? defaultAuditMaxBytes;
  const keptFiles = options.keptFiles ?? defaultAuditKeptFiles;
  let file = await openFile(options.path);
  const stats = await file.stat();
  const append = options.append ?? quickAppend({ isFile: stats.isFile() });
  let { size } = stats;
  let torn = false;
  let waiting: Waiting[] = [];
  let waitingLines = 0;
  let running: Promise<void> | undefined;
  let closed = false;

  const rotate = async (): Promise<void> => {
    for (let index = keptFiles; index >= 1; index--) {
      const older = index === 1 ? options.path : `${options.path}.${index - 1}`;
      await rename(older, `${options.path}.${index}`).catch(ignoreMissing);
    }
    if (keptFiles === 0) await rm(options.path, { force: true });
    const next = await openFile(options.path);
    await file.close();
    file = next;
    size = (await file.stat()).size;
  };

  const writeLater = async (batch: readonly Waiting[]): Promise<void> => {
    const bytes = Buffer.concat(batch.map((each) => each.bytes));
    try {
      if (torn) {
        await file.truncate(size);
        torn = false;
      }
      if (size > 0 && size + bytes.length > maxBytes) await rotate();
      torn = true;
      await append.later(file, bytes);
      torn = false;
      size += bytes.length;
      for (const each of batch) each.resolve();
    } catch (error) {
      for (const each of batch) each.reject(error);
    }
  };

  /** Nobody else writes, and the file can take it as it is. */
  const fitsNow = (bytes: Uint8Array): boolean =>
    running === undefined && !torn && append.isQuick() && (size === 0 || size + bytes.length <= maxBytes);

  const writeNow = (bytes: Uint8Array): void => {
    torn = true;
    append.now(file, bytes);
    torn = false;
    size += bytes.length;
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await everyoneWaits();
      const batch = waiting;
      waiting = [];
      waitingLines = 0;
      await writeLater(batch);
    }
    running = undefined;
  };

  const gathered = new GatheredLines({
    write(bytes, lines) {
      if (fitsNow(bytes)) {
        writeNow(bytes);
        return undefined;
      }
      waitingLines += lines;
      return new Promise((resolve, reject) => {
        waiting.push({ bytes: Buffer.from(bytes), resolve, reject });
        running ??= run();
      });
    },
  });
  const text = new EventText();
  const lineOf = (event: AuditEvent, kept: LineBeginning | undefined): string => {
    const beginning = kept?.text ?? text.beginning(clean(event));
    const rest = beginning === undefined ? undefined : text.rest(event);
    if (beginning === undefined || rest === undefined) return redactLine(`${JSON.stringify(clean(event))}\n`);
    if (kept !== undefined) kept.text = beginning;
    return `${beginning}${rest}\n`;
  };

  return {
    write(event, beginning) {
      if (closed) return Promise.reject(new Error('the audit log is closed'));
      if (waitingLines >= mostWaiting) return Promise.reject(new Error('too many audit lines wait to be written'));
      return gathered.add(lineOf(event, beginning), event.stage === 'RequestReceived' ? 'turn' : 'moment');
    },

    async close() {
      if (closed) return;
      closed = true;
      gathered.flush();
      await running;
      await file.close();
    },
  };
}

/** Lets everyone who has a line at this moment hand it over first: they share the write. */
function everyoneWaits(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'a', 0o600);
  // A file that was there before, made by whoever, becomes private too; a device or a pipe is left as it is.
  const stats = await file.stat();
  if (stats.isFile() && (stats.mode & 0o077) !== 0) await file.chmod(0o600);
  return file;
}

/** The last line of defence: whoever made the event, nothing that looks like a secret is written. */
function clean(event: AuditEvent): AuditEvent {
  const requestURI = redactUri(event.requestURI);
  const userAgent = redactUserAgent(event.userAgent);
  const isClean = requestURI === event.requestURI && userAgent === event.userAgent;
  return isClean ? event : { ...event, requestURI, userAgent };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
