import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Longer than this nobody else waits because of a file. */
const longestWait = 20;
/** After it was slow, a file is written by another thread for so long. */
const distrust = 60_000;

export interface QuickAppendOptions {
  /** False for devices and pipes: those make the writer wait for whoever reads. */
  readonly isFile: boolean;
  /** Milliseconds by a clock that nobody sets. */
  elapsed?(): number;
}

/** Appends to a file, all of it or with an error. */
export type Append = (file: Pick<FileHandle, 'fd' | 'write'>, bytes: Uint8Array) => Promise<void>;

/**
 * To hand a few lines to the operating system takes less time than to hand them to another thread that does so: a file
 * is written at once. One that has made us wait is left to the other thread for a while, so that nobody who only reads
 * has to wait for a slow disk more than now and then.
 */
export function quickAppend({ isFile, elapsed = () => performance.now() }: QuickAppendOptions): Append {
  let slowUntil = isFile ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return async (file, bytes) => {
    const began = elapsed();
    if (began < slowUntil) {
      for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
      return;
    }
    try {
      for (let at = 0; at < bytes.byteLength; ) at += writeSync(file.fd, bytes, at);
    } finally {
      const ended = elapsed();
      if (ended - began > longestWait) slowUntil = ended + distrust;
    }
  };
}
