import { type FileHandle, open } from 'node:fs/promises';

/** A file and how long it should be. */
export interface ExpectedFile {
  readonly path: string;
  readonly size: number;
}

/**
 * Reads files one after the other, each as a whole and the next one while one is looked at. Each is good until the next
 * one is asked for: two pieces of memory serve for all of them. One that is longer than it should be is given with one
 * byte more.
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
  let coming = begin(files[0]);
  try {
    for (const [index, file] of files.entries()) {
      if (coming === undefined) return;
      const bytes = await coming;
      [free, used] = [used, free];
      coming = begin(files[index + 1]);
      yield { file, bytes };
    }
  } finally {
    await coming?.catch(() => {});
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
