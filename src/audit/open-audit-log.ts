import type { ChainHead } from '../api/audit/audit-chain.ts';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import type { AuditLinePrefix, AuditLog } from './audit-log.ts';
import { EventSerializer } from './event-serializer.ts';
import { LineBatcher } from './line-batcher.ts';
import { LogWriter, type LogWriterOptions } from './log-writer.ts';
import { redactLine, redactUri, redactUserAgent } from './redact.ts';

export interface AuditLogOptions extends Omit<LogWriterOptions, 'maxBytes' | 'keptFiles'> {
  /**
   * The size in bytes at which the log file is rotated. Optional; defaults to 64 MiB, which is about 150,000 lines, so
   * that an editor can still open the file.
   */
  readonly maxBytes?: number;
  /** The number of rotated files to retain in addition to the current file. Optional; defaults to 5. */
  readonly keptFiles?: number;
}

/** An audit log whose lines form a chain of hashes. */
export interface ChainedAuditLog extends AuditLog {
  /** The last line that was written. Its `seq` is 0 if there is none. */
  readonly head: ChainHead;
  /** False if the log is a device or a pipe. */
  readonly isFile: boolean;
  /** The number of bytes of an interrupted write that were removed when the log was opened. */
  readonly repairedBytes: number;
  /** Adds a signature of the previous line to the next line. */
  signNext(): void;
  /**
   * Adds a record to the next line. The record states that signed lines were missing when the log was opened. `lost` is
   * the newest missing line.
   */
  recordLoss(lost: ChainHead): void;
  /** Resolves after all lines that were written before the call are on the disk. */
  sync(): Promise<void>;
}

export const defaultAuditMaxBytes = 64 * 1024 * 1024;
export const defaultAuditKeptFiles = 5;

/**
 * The maximum number of lines that wait to be written. Each request waits for its own line, so only a blocked disk
 * causes this number of waiting lines.
 */
const maxWaitingLines = 10_000;

/**
 * Opens the audit log, a file with one JSON object per line. Only one process may write to the file. Lines are written
 * synchronously as long as writes are fast. Concurrent events share one write. After a failed write, its incomplete
 * lines are removed before the next write. Each line continues the hash chain of the previous lines, across files and
 * restarts.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<ChainedAuditLog> {
  const { maxBytes = defaultAuditMaxBytes, keptFiles = defaultAuditKeptFiles } = options;
  const writer = await LogWriter.open({ ...options, maxBytes, keptFiles });
  let closed = false;
  const batcher = new LineBatcher({ write: (bytes, lines) => writer.write(bytes, lines) });
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
      if (writer.waitingLines >= maxWaitingLines)
        return Promise.reject(
          new Error(
            'too many audit events are waiting to be written; check whether the disk of the audit log is blocked',
          ),
        );
      return batcher.add(lineOf(event, prefix), event.stage === 'RequestReceived' ? 'tick' : 'microtask');
    },
    get head() {
      return writer.chain.head;
    },
    isFile: writer.isFile,
    repairedBytes: writer.repairedBytes,
    signNext: () => writer.chain.signNext(),
    recordLoss: (lost) => writer.chain.recordLoss(lost),
    sync: () => writer.sync(),
    async close() {
      if (closed) return;
      closed = true;
      batcher.flush();
      await writer.close();
    },
  };
}

/** Removes secrets from an event. This is a second safeguard in case the creator of the event did not remove them. */
function clean(event: AuditEvent): AuditEvent {
  const requestURI = redactUri(event.requestURI);
  const userAgent = redactUserAgent(event.userAgent);
  const isClean = requestURI === event.requestURI && userAgent === event.userAgent;
  return isClean ? event : { ...event, requestURI, userAgent };
}
