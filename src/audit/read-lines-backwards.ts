import type { FileHandle } from 'node:fs/promises';

export interface LineInFile {
  readonly text: string;
  /** Offset in the file of the first byte of the line. */
  readonly start: number;
}

/** The lines of one chunk of a file, in reverse order: the last line of the chunk is the first entry. */
export interface LineChunk {
  readonly lines: readonly LineInFile[];
  /** Number of bytes that were read from the file for this chunk. */
  readonly bytes: number;
  /** The offset at which reading continues. All lines that start at or after this offset have been returned. */
  readonly unreadEnd: number;
}

/** The size of a chunk. Searching a chunk of this size takes about a millisecond. */
const defaultChunkBytes = 128 * 1024;

/** The maximum length of a line. A longer line cannot be an audit line and is skipped. */
const maxLineBytes = 1024 * 1024;

const newline = 10;

/**
 * Yields the lines of a file in reverse order, starting with the last line before the offset `end`. Omits text after
 * the last newline, because that line is incomplete or still being written.
 */
export async function* readLinesBackwards(
  file: Pick<FileHandle, 'read'>,
  end: number,
  chunkBytes = defaultChunkBytes,
): AsyncGenerator<LineChunk> {
  let at = end;
  /** The end of a line whose start has not been read yet, including the newline. */
  let rest: Buffer = Buffer.alloc(0);
  while (at > 0) {
    const length = Math.min(chunkBytes, at);
    at -= length;
    const read = await readAll(file, at, length);
    const bytes = rest.length === 0 ? read.subarray(0, read.lastIndexOf(newline) + 1) : Buffer.concat([read, rest]);
    const { lines, head } = split(bytes, at);
    rest = head.length > maxLineBytes ? Buffer.alloc(0) : head;
    yield { lines, bytes: length, unreadEnd: at + rest.length };
  }
}

/**
 * Splits bytes into lines. The bytes must be empty or end with a newline. Unless the bytes start at the start of the
 * file, the first line may be incomplete. The function returns an incomplete first line as `head` and not in `lines`.
 */
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
    // The file is shorter than at the start of the search, because the writer removed a partially written line.
    if (bytesRead === 0) return buffer.subarray(0, at);
    at += bytesRead;
  }
  return buffer;
}
