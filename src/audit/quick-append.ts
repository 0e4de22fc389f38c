import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { QuickTrust } from '../lib/quick-trust.ts';

export interface QuickAppendOptions {
  /** False for devices and pipes, which block the writer until they are read. */
  readonly isFile: boolean;
  /** A monotonic clock in milliseconds. */
  elapsed?(): number;
}

type Written = Pick<FileHandle, 'fd' | 'write'>;

/** Appends all bytes to a file, or fails. */
export interface Append {
  /** True if the synchronous `now` may be used: the target is a regular file, and recent writes were fast. */
  isQuick(): boolean;
  now(file: Written, bytes: Uint8Array): void;
  /** Writes in a thread of the pool. */
  later(file: Written, bytes: Uint8Array): Promise<void>;
}

/** Creates an appender. Writing a line synchronously takes less time than passing it to another thread. */
export function quickAppend({ isFile, elapsed }: QuickAppendOptions): Append {
  const trust = new QuickTrust({ longestWait: 20, distrust: 60_000, ...(elapsed === undefined ? {} : { elapsed }) });
  return {
    isQuick: () => isFile && trust.isGiven(),
    now: (file, bytes) =>
      trust.run(() => {
        for (let at = 0; at < bytes.byteLength; ) at += writeSync(file.fd, bytes, at);
      }),
    async later(file, bytes) {
      for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
    },
  };
}
