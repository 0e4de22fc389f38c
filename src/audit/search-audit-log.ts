import type { FileHandle } from 'node:fs/promises';
import { type AuditQuery, defaultAuditLimit } from '../api/audit/audit-query.ts';
import { linesBackwards } from './lines-backwards.ts';
import { findLogFiles, type LogPlace, withLogFile } from './log-files.ts';
import { matchAudit, writtenAt } from './match-audit.ts';
import { readPosition, writePosition } from './search-position.ts';

/** The result of a search: log lines, newest first. */
export interface AuditFindings {
  readonly lines: readonly string[];
  /** Cursor for the next request. `undefined` if the whole log was searched. */
  readonly continue: string | undefined;
  /** Time of the oldest searched line, in milliseconds since the epoch. */
  readonly reached: number | undefined;
}

export interface AuditSearchOptions {
  readonly signal: AbortSignal;
  /** Awaited between chunks, to let other work run. */
  turn(): Promise<void>;
  /** Number of bytes to search per request. The next request continues. */
  readonly mostBytes?: number;
  /** Size limit of a response, which one line may exceed. */
  readonly mostFound?: number;
  /** Number of bytes to read at a time. */
  readonly pieceBytes?: number;
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
  place: LogPlace,
  query: AuditQuery,
  options: AuditSearchOptions,
): Promise<AuditFindings> {
  const files = await findLogFiles(place);
  const start = query.continue === undefined ? undefined : await readPosition(query.continue, place, files);
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
    return search.findings(await withLogFile(place, next, (handle) => writePosition(handle, next.number, offset)));
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
    this.#isWanted = matchAudit(query);
    this.#limit = query.limit ?? defaultAuditLimit;
    this.#oldest = query.since === undefined ? undefined : Date.parse(query.since) - clockSlack;
  }

  /** True if the search limit or the result limit of one request is reached. */
  get hasEnough(): boolean {
    return this.#isFull || this.#bytes >= (this.#options.mostBytes ?? defaultMaxBytes);
  }

  /** Resolves with the offset below which nothing was searched yet: 0 at the start of the file. */
  async searchFile(file: FileHandle, end: number): Promise<number> {
    const { signal, turn, pieceBytes } = this.#options;
    for await (const piece of linesBackwards(file, end, pieceBytes)) {
      signal.throwIfAborted();
      this.#bytes += piece.bytes;
      for (const { text, start } of piece.lines) {
        this.#check(text);
        if (this.isOver || this.#isFull) return start;
      }
      if (this.hasEnough) return piece.left;
      await turn();
    }
    return 0;
  }

  findings(next: string | undefined): AuditFindings {
    return { lines: this.#lines, continue: next, reached: writtenAt(this.#last) };
  }

  get #isFull(): boolean {
    return this.#lines.length >= this.#limit || this.#characters >= (this.#options.mostFound ?? defaultMaxResultLength);
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
  const written = writtenAt(line);
  // A body that contains the same text only makes the search continue.
  return written !== undefined && written < time && !line.includes('"agent":{');
}
