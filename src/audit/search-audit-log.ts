import type { FileHandle } from 'node:fs/promises';
import { type AuditQuery, defaultAuditLimit } from '../api/audit/audit-query.ts';
import { auditLineMatcher, auditLineTimestamp, mayBeAgentLine } from './audit-line-matcher.ts';
import { type AuditLogLocation, findAuditLogFiles, firstLineDigest, withAuditLogFile } from './log-files.ts';
import { readLinesBackwards } from './read-lines-backwards.ts';
import { formatSearchPosition, parseSearchPosition } from './search-position.ts';

/** The result of one search request: matching lines of the audit log, newest first. */
export interface AuditSearchResult {
  readonly lines: readonly string[];
  /** The position of each line. A search that continues at a line's position returns that line first. */
  readonly positions: readonly string[];
  /** The value with which the next request continues the search. `undefined` if the whole log has been searched. */
  readonly continue: string | undefined;
  /** The time of the oldest searched line, in milliseconds since the epoch, even if the line did not match. */
  readonly oldestSearchedTime: number | undefined;
}

export interface AuditSearchOptions {
  readonly signal: AbortSignal;
  /** Resolves after other work of the event loop has run. Called after each chunk. */
  yieldToEventLoop(): Promise<void>;
  /** The maximum number of bytes that one request searches. The client continues the search with another request. */
  readonly maxBytes?: number;
  /** The number of characters in the result after which no further line is added. */
  readonly maxResultLength?: number;
  /** Number of bytes to read from a file at a time. */
  readonly chunkBytes?: number;
}

/**
 * The default number of bytes that one request searches. This takes about a tenth of a second of CPU time, one
 * millisecond per chunk.
 */
const defaultMaxBytes = 16 * 1024 * 1024;
const defaultMaxResultLength = 2 * 1024 * 1024;

/**
 * The tolerance for clock adjustments, in milliseconds. The search stops at a line that is older than `since` (the
 * start of the requested time range) by more than this tolerance. The log is in the order of writing, so after a clock
 * adjustment the times of lines can be slightly out of order. Lines from agents do not stop the search, because they
 * arrive later than the time that they contain.
 */
export const clockSlack = 5 * 60_000;

/** Searches the audit log from the newest line to the oldest, up to the limits of one request. */
export async function searchAuditLog(
  location: AuditLogLocation,
  query: AuditQuery,
  options: AuditSearchOptions,
): Promise<AuditSearchResult> {
  const files = await findAuditLogFiles(location);
  const start = query.continue === undefined ? undefined : await parseSearchPosition(query.continue, location, files);
  const search = new Search(query, options);
  for (const [index, file] of files.entries()) {
    if (index < (start?.index ?? 0)) continue;
    const end = index === start?.index ? start.offset : file.size;
    const left = await withAuditLogFile(location, file, async (handle) => {
      const digest = await firstLineDigest(handle);
      return await search.searchFile(handle, end, (offset) => formatSearchPosition(file, digest, offset));
    });
    // `undefined` means that rotation removed the file during the search. Rotation removes the oldest files first, so
    // no older file is left.
    if (left === undefined || search.isOver) break;
    const next = left > 0 ? file : files[index + 1];
    if (!search.hasEnough || next === undefined) continue;
    const offset = left > 0 ? left : next.size;
    const digest = await withAuditLogFile(location, next, firstLineDigest);
    return search.findings(digest === undefined ? undefined : formatSearchPosition(next, digest, offset));
  }
  return search.findings(undefined);
}

class Search {
  readonly #options: AuditSearchOptions;
  readonly #isMatch: (line: string) => boolean;
  readonly #limit: number;
  readonly #stopBefore: number | undefined;
  readonly #lines: string[] = [];
  readonly #positions: string[] = [];
  #bytes = 0;
  #characters = 0;
  /** The oldest line that has been searched. */
  #oldestLine = '';
  /** True if all remaining lines are older than the `since` of the query. */
  isOver = false;

  constructor(query: AuditQuery, options: AuditSearchOptions) {
    this.#options = options;
    this.#isMatch = auditLineMatcher(query);
    this.#limit = query.limit ?? defaultAuditLimit;
    this.#stopBefore = query.since === undefined ? undefined : Date.parse(query.since) - clockSlack;
  }

  /** True if this request has searched enough bytes or found enough lines. */
  get hasEnough(): boolean {
    return this.#isFull || this.#bytes >= (this.#options.maxBytes ?? defaultMaxBytes);
  }

  /**
   * Searches one file backwards from the offset `end`. Resolves with the offset at which to continue, or 0 if the start
   * of the file was reached. `positionAt` returns the search position for an offset in this file.
   */
  async searchFile(file: FileHandle, end: number, positionAt: (offset: number) => string): Promise<number> {
    const { signal, yieldToEventLoop, chunkBytes } = this.#options;
    let offset = end;
    for await (const chunk of readLinesBackwards(file, end, chunkBytes)) {
      signal.throwIfAborted();
      this.#bytes += chunk.bytes;
      for (const { text, start } of chunk.lines) {
        if (this.#check(text)) {
          this.#positions.push(positionAt(offset));
          offset = start;
        }
        if (this.isOver || this.#isFull) return start;
      }
      if (this.hasEnough) return chunk.unreadEnd;
      await yieldToEventLoop();
    }
    return 0;
  }

  findings(next: string | undefined): AuditSearchResult {
    return {
      lines: this.#lines,
      positions: this.#positions,
      continue: next,
      oldestSearchedTime: auditLineTimestamp(this.#oldestLine),
    };
  }

  get #isFull(): boolean {
    return (
      this.#lines.length >= this.#limit || this.#characters >= (this.#options.maxResultLength ?? defaultMaxResultLength)
    );
  }

  /** Adds a line to the result if it matches. Returns true if the line was added. */
  #check(line: string): boolean {
    this.#oldestLine = line;
    if (this.#stopBefore !== undefined && isOwnLineBefore(line, this.#stopBefore)) {
      this.isOver = true;
      return false;
    }
    if (!this.#isMatch(line)) return false;
    this.#lines.push(line);
    this.#characters += line.length;
    return true;
  }
}

function isOwnLineBefore(line: string, time: number): boolean {
  const written = auditLineTimestamp(line);
  // A logged body can look like a line from an agent. In that case, the search only runs longer than necessary.
  return written !== undefined && written < time && !mayBeAgentLine(line);
}
