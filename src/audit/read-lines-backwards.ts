import type { FileHandle } from 'node:fs/promises';

export interface LineInFile {
  readonly text: string;
  /** Offset of the first byte of the line. */
  readonly start: number;
}

/** A chunk of a file: its lines, last line first. */
export interface LineChunk {
  readonly lines: readonly LineInFile[];
  /** Number of bytes that were read for the chunk. */
  readonly bytes: number;
  /** Offset below which nothing was read yet. */
  readonly unreadEnd: number;
}

/** A chunk of this size is searched in about a millisecond. */
const defaultChunkBytes = 128 * 1024;

/** Longer lines are not audit lines and are skipped. */
const maxLineBytes = 1024 * 1024;

const newline = 10;

/**
 * Yields the lines of a file below `end`, last line first, read in chunks from the end. A line ends with a newline:
 * text after the last newline is still being written or was partially written, and is omitted.
 */
export async function* readLinesBackwards(
  file: Pick<FileHandle, 'read'>,
  end: number,
  pieceBytes = defaultChunkBytes,
): AsyncGenerator<LineChunk> {
  let at = end;
  /** The end of a line, including its newline, whose start is not read yet. */
  let rest: Buffer = Buffer.alloc(0);
  while (at > 0) {
    const length = Math.min(pieceBytes, at);
    at -= length;
    const read = await readAll(file, at, length);
    const bytes = rest.length === 0 ? read.subarray(0, read.lastIndexOf(newline) + 1) : Buffer.concat([read, rest]);
    const { lines, head } = split(bytes, at);
    rest = head.length > maxLineBytes ? Buffer.alloc(0) : head;
    yield { lines, bytes: length, unreadEnd: at + rest.length };
  }
}

/** `bytes` is empty or ends with a newline. The first line is known to be complete only at the start of a file. */
function split(bytes: Buffer, offset: number): { lines: LineInFile[]; head: Buffer } {
  const lines: LineInFile[] = [];
  let lineEnd = bytes.length - 1;
  while (lineEnd >= 0) {
    const before = lineEnd === 0 ? -1 : bytes.lastIndexOf(newline, lineEnd - 1);
    if (before < 0 && offset > 0) break;
    lines.push({ text: bytes.toString('utf8', before + 1, lineEnd), start: offset + before + 1 });
    lineEnd = before;
  }
  return { lines, head: bytes.subarray(0, lineEnd + 1) };
}

async function readAll(file: Pick<FileHandle, 'read'>, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    // The file became shorter since its size was read: the writer removed a partially written line.
    if (bytesRead === 0) return buffer.subarray(0, at);
    at += bytesRead;
  }
  return buffer;
}
