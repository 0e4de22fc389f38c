import type { FileHandle } from 'node:fs/promises';

/** The complete lines of one chunk of a file, in the order of the file. */
export interface ForwardChunk {
  /** The lines without their newlines. */
  readonly lines: readonly Buffer[];
  /** The offset after the last element of `lines`. */
  readonly end: number;
}

const defaultChunkBytes = 256 * 1024;
const newline = 10;

/** Yields the complete lines of a file between two offsets. Text after the last newline is omitted. */
export async function* readLinesForwards(
  file: Pick<FileHandle, 'read'>,
  { start, end, chunkBytes = defaultChunkBytes }: { start: number; end: number; chunkBytes?: number },
): AsyncGenerator<ForwardChunk> {
  let at = start;
  /** The parts of a line whose end has not been read yet. */
  let rest: Buffer[] = [];
  let lineStart = start;
  while (at < end) {
    const { buffer, bytesRead } = await file.read(
      Buffer.allocUnsafe(Math.min(chunkBytes, end - at)),
      0,
      Math.min(chunkBytes, end - at),
      at,
    );
    // The file is shorter than expected: the writer removed a partially written line.
    if (bytesRead === 0) return;
    const read = buffer.subarray(0, bytesRead);
    const lastNewline = read.lastIndexOf(newline);
    if (lastNewline < 0) {
      rest.push(read);
    } else {
      const complete = Buffer.concat([...rest, read.subarray(0, lastNewline + 1)]);
      lineStart += complete.length;
      rest = [read.subarray(lastNewline + 1)];
      yield { lines: splitLines(complete), end: lineStart };
    }
    at += bytesRead;
  }
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
