import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { type Appender, createAppender } from './appender.ts';
import type { AuditLinePrefix, AuditLog } from './audit-log.ts';
import { EventSerializer } from './event-serializer.ts';
import { LineBatcher } from './line-batcher.ts';
import { redactLine, redactUri, redactUserAgent } from './redact.ts';

export interface AuditLogOptions {
  readonly path: string;
  /**
   * Size in bytes at which the log file is rotated. Optional; defaults to 64 MiB, about 150,000 lines, which an editor
   * can still open.
   */
  readonly maxBytes?: number;
  /** The number of rotated files to retain in addition to the current file. Optional; defaults to 5. */
  readonly keptFiles?: number;
  /**
   * The appender for the log file. Optional; by default, a regular file is written synchronously as long as writes are
   * fast.
   */
  readonly append?: Appender;
}

export const defaultAuditMaxBytes = 64 * 1024 * 1024;
export const defaultAuditKeptFiles = 5;

/**
 * Limit on the number of lines that wait to be written. Each request waits for its own line, so the limit is reached
 * only if the disk is blocked.
 */
const maxWaitingLines = 10_000;

interface Waiting {
  readonly bytes: Uint8Array;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Opens the audit log, a file with one JSON object per line. Only one process may write to it. Lines are written
 * synchronously as long as writes are fast. Concurrent events share one write. The remains of a failed write are
 * removed before the next write.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const maxBytes = options.maxBytes ?? defaultAuditMaxBytes;
  const keptFiles = options.keptFiles ?? defaultAuditKeptFiles;
  let file = await openFile(options.path);
  const stats = await file.stat();
  const append = options.append ?? createAppender({ isFile: stats.isFile() });
  let { size } = stats;
  let isTorn = false;
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

  const writeAsync = async (batch: readonly Waiting[]): Promise<void> => {
    const bytes = Buffer.concat(batch.map((each) => each.bytes));
    try {
      if (isTorn) {
        await file.truncate(size);
        isTorn = false;
      }
      if (size > 0 && size + bytes.length > maxBytes) await rotate();
      isTorn = true;
      await append.appendAsync(file, bytes);
      isTorn = false;
      size += bytes.length;
      for (const each of batch) each.resolve();
    } catch (error) {
      for (const each of batch) each.reject(error);
    }
  };

  /** True if the bytes can be written now: no asynchronous write is running, and no truncation or rotation is due. */
  const canWriteSync = (bytes: Uint8Array): boolean =>
    running === undefined && !isTorn && append.mayAppendSync() && (size === 0 || size + bytes.length <= maxBytes);

  const writeSync = (bytes: Uint8Array): void => {
    isTorn = true;
    append.appendSync(file, bytes);
    isTorn = false;
    size += bytes.length;
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await endOfTick();
      const batch = waiting;
      waiting = [];
      waitingLines = 0;
      await writeAsync(batch);
    }
    running = undefined;
  };

  const batcher = new LineBatcher({
    write(bytes, lines) {
      if (canWriteSync(bytes)) {
        writeSync(bytes);
        return undefined;
      }
      waitingLines += lines;
      return new Promise((resolve, reject) => {
        waiting.push({ bytes: Buffer.from(bytes), resolve, reject });
        running ??= run();
      });
    },
  });
  const serializer = new EventSerializer();
  const lineOf = (event: AuditEvent, cache: AuditLinePrefix | undefined): string => {
    const prefix = cache?.text ?? serializer.serializePrefix(clean(event));
    const suffix = prefix === undefined ? undefined : serializer.serializeSuffix(event);
    if (prefix === undefined || suffix === undefined) return redactLine(`${JSON.stringify(clean(event))}\n`);
    if (cache !== undefined) cache.text = prefix;
    return `${prefix}${suffix}\n`;
  };

  return {
    write(event, prefix) {
      if (closed) return Promise.reject(new Error('the audit log is closed'));
      if (waitingLines >= maxWaitingLines)
        return Promise.reject(
          new Error(
            'too many audit events are waiting to be written; check whether the disk of the audit log is blocked',
          ),
        );
      return batcher.add(lineOf(event, prefix), event.stage === 'RequestReceived' ? 'tick' : 'microtask');
    },

    async close() {
      if (closed) return;
      closed = true;
      batcher.flush();
      await running;
      await file.close();
    },
  };
}

/** Waits until the end of the current tick of the event loop, so that all lines of the tick share one write. */
function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'a', 0o600);
  // Restrict an existing log file to its owner, like a new one. A device or a pipe stays as it is.
  const stats = await file.stat();
  if (stats.isFile() && (stats.mode & 0o077) !== 0) await file.chmod(0o600);
  return file;
}

/** Removes secrets from an event as a second safeguard, even if the creator of the event failed to remove them. */
function clean(event: AuditEvent): AuditEvent {
  const requestURI = redactUri(event.requestURI);
  const userAgent = redactUserAgent(event.userAgent);
  const isClean = requestURI === event.requestURI && userAgent === event.userAgent;
  return isClean ? event : { ...event, requestURI, userAgent };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
