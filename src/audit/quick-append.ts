import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { QuickTrust } from '../lib/quick-trust.ts';

export interface QuickAppendOptions {
  /** False for devices and pipes: those make the writer wait for whoever reads. */
  readonly isFile: boolean;
  /** Milliseconds by a clock that nobody sets. */
  elapsed?(): number;
}

type Written = Pick<FileHandle, 'fd' | 'write'>;

/** Appends to a file, all of it or with an error. */
export interface Append {
  /** Whether `now` may be used: it is a file, and one that was quick. */
  isQuick(): boolean;
  now(file: Written, bytes: Uint8Array): void;
  /** By another thread. */
  later(file: Written, bytes: Uint8Array): Promise<void>;
}

/** A line is handed to the operating system in less time than to another thread that does so. */
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
