import type { FileHandle } from 'node:fs/promises';

export interface LineInFile {
  readonly text: string;
  /** The offset at which it begins. */
  readonly start: number;
}

/** A part of a file that was read: its lines, the last one first. */
export interface PieceOfLines {
  readonly lines: readonly LineInFile[];
  /** How much was read for it. */
  readonly bytes: number;
  /** What lies below this offset was not looked at yet. */
  readonly left: number;
}

/** So many lines are gone through in about a millisecond. */
const defaultPieceBytes = 128 * 1024;

/** What goes on for longer without an end is no line of an audit log, and is passed over. */
const longestLine = 1024 * 1024;

const newline = 10;

/**
 * The lines of a file that lie below `end`, last one first, read from its end in pieces. A line ends with a newline: what
 * follows the last one is being written at this moment, or was torn, and is left out.
 */
export async function* linesBackwards(
  file: Pick<FileHandle, 'read'>,
  end: number,
  pieceBytes = defaultPieceBytes,
): AsyncGenerator<PieceOfLines> {
  let at = end;
  /** The end of a line, with its newline, whose beginning is not read yet. */
  let rest: Buffer = Buffer.alloc(0);
  while (at > 0) {
    const length = Math.min(pieceBytes, at);
    at -= length;
    const read = await readAll(file, at, length);
    const bytes = rest.length === 0 ? read.subarray(0, read.lastIndexOf(newline) + 1) : Buffer.concat([read, rest]);
    const { lines, head } = split(bytes, at);
    rest = head.length > longestLine ? Buffer.alloc(0) : head;
    yield { lines, bytes: length, left: at + rest.length };
  }
}

/** Bytes that end with a newline, or none at all. Only at the beginning of a file is the first line known to be whole. */
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
    // It was cut since: a torn line at its end is taken away before the next is written.
    if (bytesRead === 0) return buffer.subarray(0, at);
    at += bytesRead;
  }
  return buffer;
}
