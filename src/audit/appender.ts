import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { SyncIoBreaker } from '../lib/sync-io-breaker.ts';

export interface AppenderOptions {
  /** False for devices and pipes, which block the writer until they are read. */
  readonly isFile: boolean;
  /** A monotonic clock in milliseconds. */
  elapsed?(): number;
}

type Written = Pick<FileHandle, 'fd' | 'write'>;

/** Appends all bytes to a file, or fails. */
export interface Appender {
  /** True if the synchronous `now` may be used: the target is a regular file, and recent writes were fast. */
  isFast(): boolean;
  appendSync(file: Written, bytes: Uint8Array): void;
  /** Writes in a thread of the pool. */
  appendAsync(file: Written, bytes: Uint8Array): Promise<void>;
}

/** Creates an appender. Writing a line synchronously takes less time than passing it to another thread. */
export function createAppender({ isFile, elapsed }: AppenderOptions): Appender {
  const trust = new SyncIoBreaker({ maxBlockMs: 20, maxOpenMs: 60_000, ...(elapsed === undefined ? {} : { elapsed }) });
  return {
    isFast: () => isFile && trust.allowsSync(),
    appendSync: (file, bytes) =>
      trust.run(() => {
        for (let at = 0; at < bytes.byteLength; ) at += writeSync(file.fd, bytes, at);
      }),
    async appendAsync(file, bytes) {
      for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
    },
  };
}
