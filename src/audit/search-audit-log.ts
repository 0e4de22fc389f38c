import type { FileHandle } from 'node:fs/promises';
import { type AuditQuery, defaultAuditLimit } from '../api/audit/audit-query.ts';
import { auditLineMatcher, lineTimestamp } from './audit-line-matcher.ts';
import { findLogFiles, type LogLocation, withLogFile } from './log-files.ts';
import { readLinesBackwards } from './read-lines-backwards.ts';
import { formatSearchPosition, parseSearchPosition } from './search-position.ts';

/** The result of a search: log lines, newest first. */
export interface AuditSearchResult {
  readonly lines: readonly string[];
  /** Cursor for the next request. `undefined` if the whole log was searched. */
  readonly continue: string | undefined;
  /** Time of the oldest searched line, in milliseconds since the epoch. */
  readonly reached: number | undefined;
}

export interface AuditSearchOptions {
  readonly signal: AbortSignal;
  /** Awaited between chunks, to let other work run. */
  yieldToEventLoop(): Promise<void>;
  /** Number of bytes to search per request. The next request continues. */
  readonly maxBytes?: number;
  /** Size limit of a response, which one line may exceed. */
  readonly maxResultLength?: number;
  /** Number of bytes to read at a time. */
  readonly chunkBytes?: number;
}

/** About a tenth of a second of CPU time, in chunks of a millisecond. */
const defaultMaxBytes = 16 * 1024 * 1024;
const defaultMaxResultLength = 2 * 1024 * 1024;

/**
 * Lines are in the order of writing, by a clock that may have been adjusted slightly. The search stops this far before
 * `since`. Lines of agents arrive later than they were written, so their times are ignored for this purpose.
 */
const clockSlack = 5 * 60_000;

/** Searches the log backwards from its newest line, within the limits of one request. */
export async function searchAuditLog(
  place: LogLocation,
  query: AuditQuery,
  options: AuditSearchOptions,
): Promise<AuditSearchResult> {
  const files = await findLogFiles(place);
  const start = query.continue === undefined ? undefined : await parseSearchPosition(query.continue, place, files);
  const search = new Search(query, options);
  for (const [index, file] of files.entries()) {
    if (index < (start?.index ?? 0)) continue;
    const end = index === start?.index ? start.offset : file.size;
    const left = await withLogFile(place, file, (handle) => search.searchFile(handle, end));
    // The file was removed meanwhile, and all older files before it.
    if (left === undefined || search.isOver) break;
    const next = left > 0 ? file : files[index + 1];
    if (!search.hasEnough || next === undefined) continue;
    const offset = left > 0 ? left : next.size;
    return search.findings(
      await withLogFile(place, next, (handle) => formatSearchPosition(handle, next.inode, offset)),
    );
  }
  return search.findings(undefined);
}

class Search {
  readonly #options: AuditSearchOptions;
  readonly #isWanted: (line: string) => boolean;
  readonly #limit: number;
  readonly #oldest: number | undefined;
  readonly #lines: string[] = [];
  #bytes = 0;
  #characters = 0;
  /** The oldest line that was searched. */
  #last = '';
  /** True if all remaining lines are older than requested. */
  isOver = false;

  constructor(query: AuditQuery, options: AuditSearchOptions) {
    this.#options = options;
    this.#isWanted = auditLineMatcher(query);
    this.#limit = query.limit ?? defaultAuditLimit;
    this.#oldest = query.since === undefined ? undefined : Date.parse(query.since) - clockSlack;
  }

  /** True if the search limit or the result limit of one request is reached. */
  get hasEnough(): boolean {
    return this.#isFull || this.#bytes >= (this.#options.maxBytes ?? defaultMaxBytes);
  }

  /** Resolves with the offset below which nothing was searched yet: 0 at the start of the file. */
  async searchFile(file: FileHandle, end: number): Promise<number> {
    const { signal, yieldToEventLoop, chunkBytes } = this.#options;
    for await (const piece of readLinesBackwards(file, end, chunkBytes)) {
      signal.throwIfAborted();
      this.#bytes += piece.bytes;
      for (const { text, start } of piece.lines) {
        this.#check(text);
        if (this.isOver || this.#isFull) return start;
      }
      if (this.hasEnough) return piece.unreadEnd;
      await yieldToEventLoop();
    }
    return 0;
  }

  findings(next: string | undefined): AuditSearchResult {
    return { lines: this.#lines, continue: next, reached: lineTimestamp(this.#last) };
  }

  get #isFull(): boolean {
    return (
      this.#lines.length >= this.#limit || this.#characters >= (this.#options.maxResultLength ?? defaultMaxResultLength)
    );
  }

  #check(line: string): void {
    this.#last = line;
    if (this.#oldest !== undefined && isOwnLineBefore(line, this.#oldest)) {
      this.isOver = true;
    } else if (this.#isWanted(line)) {
      this.#lines.push(line);
      this.#characters += line.length;
    }
  }
}

function isOwnLineBefore(line: string, time: number): boolean {
  const written = lineTimestamp(line);
  // A body that contains the same text only makes the search continue.
  return written !== undefined && written < time && !line.includes('"agent":{');
}
