import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { SyncIoBreaker } from '../lib/sync-io-breaker.ts';

export interface AppenderOptions {
  /** True if the log is a regular file. A write to a device or a pipe can block until something reads from it. */
  readonly isFile: boolean;
  /** Returns the time of a monotonic clock in milliseconds. Optional; tests replace it. */
  elapsed?(): number;
}

type WritableFile = Pick<FileHandle, 'fd' | 'write'>;

/** Appends bytes to the audit log file. A call writes all of its bytes or fails. */
export interface Appender {
  /** True if `appendSync` may be used: the log is a regular file, and recent synchronous writes were fast. */
  mayAppendSync(): boolean;
  appendSync(file: WritableFile, bytes: Uint8Array): void;
  /** Writes in a thread of Node's thread pool, so that a slow disk does not block the event loop. */
  appendAsync(file: WritableFile, bytes: Uint8Array): Promise<void>;
}

/**
 * Creates an appender. It offers synchronous writes, because for one line a synchronous write is faster than using
 * another thread.
 */
export function createAppender({ isFile, elapsed }: AppenderOptions): Appender {
  const breaker = new SyncIoBreaker({
    maxBlockMs: 20,
    maxOpenMs: 60_000,
    ...(elapsed === undefined ? {} : { elapsed }),
  });
  return {
    mayAppendSync: () => isFile && breaker.allowsSync(),
    appendSync: (file, bytes) =>
      breaker.run(() => {
        for (let at = 0; at < bytes.byteLength; ) at += writeSync(file.fd, bytes, at);
      }),
    async appendAsync(file, bytes) {
      for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
    },
  };
}
