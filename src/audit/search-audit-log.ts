import type { FileHandle } from 'node:fs/promises';
import { type AuditQuery, defaultAuditLimit } from '../api/audit/audit-query.ts';
import { linesBackwards } from './lines-backwards.ts';
import { findLogFiles, type LogPlace, withLogFile } from './log-files.ts';
import { matchAudit, writtenAt } from './match-audit.ts';
import { readPosition, writePosition } from './search-position.ts';

/** What was found: lines as they stand in the log, newest first. */
export interface AuditFindings {
  readonly lines: readonly string[];
  /** Where to go on; undefined: there is nothing more to look at. */
  readonly continue: string | undefined;
  /** When the oldest line was written that was looked at, in milliseconds since the epoch. */
  readonly reached: number | undefined;
}

export interface AuditSearchOptions {
  readonly signal: AbortSignal;
  /** Awaited between the pieces that are read. */
  turn(): Promise<void>;
  /** So much of the log is looked at for one request; the next one goes on. */
  readonly mostBytes?: number;
  /** An answer is not longer than this, and one line. */
  readonly mostFound?: number;
  /** So much is read at a time. */
  readonly pieceBytes?: number;
}

/** A tenth of a second of one processor, in pieces of a millisecond. */
const defaultMostBytes = 16 * 1024 * 1024;
const defaultMostFound = 2 * 1024 * 1024;

/**
 * Lines stand in the order in which they were written, by a clock that somebody may have set a little; further back than
 * this nothing is looked for. Lines of agents come later than they were written, and say nothing of those around them.
 */
const clockSlack = 5 * 60_000;

/** Looks through the log from its newest line backwards, for no longer than one request may. */
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
    const left = await withLogFile(place, file, (handle) => search.lookThrough(handle, end));
    // Gone meanwhile: those that are older went before it.
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
  /** The oldest line that was looked at. */
  #last = '';
  /** What is older than what was seen is not asked for. */
  isOver = false;

  constructor(query: AuditQuery, options: AuditSearchOptions) {
    this.#options = options;
    this.#isWanted = matchAudit(query);
    this.#limit = query.limit ?? defaultAuditLimit;
    this.#oldest = query.since === undefined ? undefined : Date.parse(query.since) - clockSlack;
  }

  /** As much was looked at, or found, as one request may. */
  get hasEnough(): boolean {
    return this.#isFull || this.#bytes >= (this.#options.mostBytes ?? defaultMostBytes);
  }

  /** Resolves with the offset below which nothing was looked at yet: 0 at the beginning of the file. */
  async lookThrough(file: FileHandle, end: number): Promise<number> {
    const { signal, turn, pieceBytes } = this.#options;
    for await (const piece of linesBackwards(file, end, pieceBytes)) {
      signal.throwIfAborted();
      this.#bytes += piece.bytes;
      for (const { text, start } of piece.lines) {
        this.#look(text);
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
    return this.#lines.length >= this.#limit || this.#characters >= (this.#options.mostFound ?? defaultMostFound);
  }

  #look(line: string): void {
    this.#last = line;
    if (this.#oldest !== undefined && isOwnBefore(line, this.#oldest)) {
      this.isOver = true;
    } else if (this.#isWanted(line)) {
      this.#lines.push(line);
      this.#characters += line.length;
    }
  }
}

function isOwnBefore(line: string, time: number): boolean {
  const written = writtenAt(line);
  // A body that holds the same words only makes the search look on.
  return written !== undefined && written < time && !line.includes('"agent":{');
}
