import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { type Appender, createAppender } from './appender.ts';
import type { AuditLog, LinePrefix } from './audit-log.ts';
import { EventSerializer } from './event-serializer.ts';
import { LineBatcher } from './line-batcher.ts';
import { redactLine, redactUri, redactUserAgent } from './redact.ts';

export interface AuditLogOptions {
  readonly path: string;
  /** Size at which a file is rotated. 64 MiB hold about 150,000 lines, and an editor can still open them. */
  readonly maxBytes?: number;
  /** Number of rotated files to retain besides the current one. `audit.log.1` is the newest. */
  readonly keptFiles?: number;
  /** The appender for the file. Optional; defaults to one that writes synchronously to fast files. */
  readonly append?: Appender;
}

export const defaultAuditMaxBytes = 64 * 1024 * 1024;
export const defaultAuditKeptFiles = 5;

/** Limit on lines waiting for the disk. Each request waits for its own line, so only a blocked disk reaches it. */
const maxWaitingLines = 10_000;

interface Waiting {
  readonly bytes: Uint8Array;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Opens an audit log of JSON lines with a single writer. Lines are written synchronously if the file is fast, and
 * concurrent lines together. Each caller learns whether its line was written. A line is complete or absent: the remains
 * of a failed write are truncated before the next one.
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

  const writeLater = async (batch: readonly Waiting[]): Promise<void> => {
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

  /** True if no asynchronous write is running and the file needs no truncation or rotation. */
  const fitsNow = (bytes: Uint8Array): boolean =>
    running === undefined && !isTorn && append.isFast() && (size === 0 || size + bytes.length <= maxBytes);

  const writeNow = (bytes: Uint8Array): void => {
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
      await writeLater(batch);
    }
    running = undefined;
  };

  const batcher = new LineBatcher({
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
  const text = new EventSerializer();
  const lineOf = (event: AuditEvent, kept: LinePrefix | undefined): string => {
    const beginning = kept?.text ?? text.serializePrefix(clean(event));
    const rest = beginning === undefined ? undefined : text.serializeSuffix(event);
    if (beginning === undefined || rest === undefined) return redactLine(`${JSON.stringify(clean(event))}\n`);
    if (kept !== undefined) kept.text = beginning;
    return `${beginning}${rest}\n`;
  };

  return {
    write(event, beginning) {
      if (closed) return Promise.reject(new Error('the audit log is closed'));
      if (waitingLines >= maxWaitingLines)
        return Promise.reject(new Error('too many audit lines are waiting to be written'));
      return batcher.add(lineOf(event, beginning), event.stage === 'RequestReceived' ? 'tick' : 'microtask');
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

/** Waits until the end of the tick, so that all lines of the tick share the write. */
function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'a', 0o600);
  // An existing file becomes private too. A device or a pipe is left unchanged.
  const stats = await file.stat();
  if (stats.isFile() && (stats.mode & 0o077) !== 0) await file.chmod(0o600);
  return file;
}

/** Defense in depth: nothing that looks like a secret is written, whatever created the event. */
function clean(event: AuditEvent): AuditEvent {
  const requestURI = redactUri(event.requestURI);
  const userAgent = redactUserAgent(event.userAgent);
  const isClean = requestURI === event.requestURI && userAgent === event.userAgent;
  return isClean ? event : { ...event, requestURI, userAgent };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
