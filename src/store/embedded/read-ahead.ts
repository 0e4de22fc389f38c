import { type FileHandle, open } from 'node:fs/promises';

/** A file to read, and the size that it should have. */
export interface ExpectedFile {
  readonly path: string;
  readonly size: number;
}

/**
 * Yields the bytes of whole files, one after the other. The next file is read while the caller processes the current
 * one. Two buffers are used for all files, so the bytes are valid only until the next file is requested. If a file is
 * longer than expected, one extra byte is returned.
 */
export async function* readAhead<T extends ExpectedFile>(
  files: readonly T[],
): AsyncGenerator<{ readonly file: T; readonly bytes: Buffer }> {
  const longest = files.reduce((length, { size }) => Math.max(length, size + 1), 0);
  let [free, used] = [Buffer.allocUnsafeSlow(longest), Buffer.allocUnsafeSlow(longest)];
  const begin = (file: T | undefined) => {
    if (file === undefined) return undefined;
    const reading = readInto(file, free);
    reading.catch(() => {});
    return reading;
  };
  let nextRead = begin(files[0]);
  try {
    for (const [index, file] of files.entries()) {
      if (nextRead === undefined) return;
      const bytes = await nextRead;
      [free, used] = [used, free];
      nextRead = begin(files[index + 1]);
      yield { file, bytes };
    }
  } finally {
    await nextRead?.catch(() => {});
  }
}

async function readInto({ path, size }: ExpectedFile, memory: Buffer): Promise<Buffer> {
  const handle = await open(path);
  try {
    return memory.subarray(0, await readUpTo(handle, memory, size + 1));
  } finally {
    await handle.close();
  }
}

async function readUpTo(handle: FileHandle, memory: Buffer, most: number): Promise<number> {
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(memory, length, most - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === most) return length;
  }
}
