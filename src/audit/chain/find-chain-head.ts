import type { FileHandle } from 'node:fs/promises';
import type { ChainHead, ChainLink } from '../../api/audit/audit-chain.ts';
import { type AuditLogLocation, findAuditLogFiles, withAuditLogFile } from '../log-files.ts';
import { readLinesBackwards } from '../read-lines-backwards.ts';
import { lineEnd, readLink } from './chain-format.ts';

const newline = 10;
const chunkBytes = 64 * 1024;

/**
 * Returns the last line of the log that has a link; `undefined` if there is none. Searches only the newest file that is
 * not empty. If that file has no links, an older version of the server wrote it.
 */
export async function findChainHead(location: AuditLogLocation): Promise<ChainHead | undefined> {
  for (const file of await findAuditLogFiles(location)) {
    const found = await withAuditLogFile(location, file, async (handle) => {
      for await (const link of linksBackwards(handle, file.size)) return link;
      return undefined;
    });
    if (found !== undefined) return { seq: found.seq, hash: found.hash };
    const hasLines = await withAuditLogFile(location, file, async (handle) => {
      const torn = await countTornBytes(handle, file.size);
      return torn < file.size;
    });
    if (hasLines === true) return undefined;
  }
  return undefined;
}

/**
 * True if the log contains the line with this number and hash, or if it contains only newer lines because retention has
 * removed the file of the line. False if the line was removed or changed, or belongs to another log.
 */
export async function hasLine(location: AuditLogLocation, { seq, hash }: ChainHead): Promise<boolean> {
  let oldest: number | undefined;
  for (const file of await findAuditLogFiles(location)) {
    const found = await withAuditLogFile(location, file, async (handle) => {
      for await (const link of linksBackwards(handle, file.size)) {
        if (link.seq <= seq) return link;
        oldest = link.seq;
      }
      return undefined;
    });
    if (found !== undefined) return found.seq === seq && found.hash === hash;
  }
  return oldest !== undefined;
}

async function* linksBackwards(file: FileHandle, size: number): AsyncGenerator<ChainLink> {
  const end = lineEnd.trimEnd();
  for await (const { lines } of readLinesBackwards(file, size)) {
    for (const { text } of lines) {
      const link = text.endsWith(end) ? readLink(Buffer.from(text)) : undefined;
      if (link !== undefined) yield link;
    }
  }
}

/** Returns the number of bytes after the last newline of a file, which an incomplete write has left. */
export async function countTornBytes(file: FileHandle, size: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let end = size; end > 0; ) {
    const length = Math.min(chunkBytes, end);
    const { bytesRead } = await file.read(buffer, 0, length, end - length);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(newline);
    if (at >= 0) return size - (end - length + at + 1);
    end -= length;
  }
  return size;
}
