/** One line of a log. */
export interface LogLine {
  /** The time at which the line was written, in RFC 3339; '' if the server sent none. */
  readonly time: string;
  readonly text: string;
}

/** Consecutive lines that one element displays, so a long log needs few elements. */
export interface LogChunk {
  /** A number that is unique in the buffer. */
  readonly id: number;
  readonly lines: readonly LogLine[];
}

export interface LogBufferLimits {
  readonly maxLines: number;
  readonly maxCharacters: number;
}

const defaultLimits: LogBufferLimits = { maxLines: 10_000, maxCharacters: 8 * 1024 * 1024 };

/** The maximum number of lines in a chunk. Only the last chunk changes, so all other chunks are rendered only once. */
const chunkLines = 200;

/**
 * The last lines of a log. If the limits are exceeded, the oldest chunk is dropped. This bounds the memory of a page that
 * stays open.
 */
export class LogBuffer {
  readonly #limits: LogBufferLimits;
  #chunks: { id: number; lines: LogLine[]; characters: number }[] = [];
  #snapshot: readonly LogChunk[] = [];
  #nextId = 0;
  #lineCount = 0;
  #characters = 0;
  #dropped = 0;

  constructor(limits: LogBufferLimits = defaultLimits) {
    this.#limits = limits;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  /** The number of lines that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The lines of the buffer. A chunk with new lines is a new object. */
  get chunks(): readonly LogChunk[] {
    return this.#snapshot;
  }

  append(lines: readonly LogLine[]): void {
    for (const line of lines) this.#push(line);
    while (this.#isOverLimits() && this.#chunks.length > 1) this.#dropOldest();
    this.#updateSnapshot();
  }

  clear(): void {
    this.#chunks = [];
    this.#snapshot = [];
    this.#lineCount = 0;
    this.#characters = 0;
    this.#dropped = 0;
  }

  #push(line: LogLine): void {
    let last = this.#chunks.at(-1);
    if (last === undefined || last.lines.length >= chunkLines) {
      last = { id: this.#nextId++, lines: [], characters: 0 };
      this.#chunks.push(last);
    }
    last.lines.push(line);
    last.characters += line.text.length;
    this.#lineCount += 1;
    this.#characters += line.text.length;
  }

  #isOverLimits(): boolean {
    return this.#lineCount > this.#limits.maxLines || this.#characters > this.#limits.maxCharacters;
  }

  #dropOldest(): void {
    const oldest = this.#chunks.shift();
    if (oldest === undefined) return;
    this.#lineCount -= oldest.lines.length;
    this.#characters -= oldest.characters;
    this.#dropped += oldest.lines.length;
  }

  #updateSnapshot(): void {
    const known = new Map(this.#snapshot.map((chunk) => [chunk.id, chunk]));
    this.#snapshot = this.#chunks.map(({ id, lines }) => {
      const before = known.get(id);
      return before?.lines.length === lines.length ? before : { id, lines: [...lines] };
    });
  }
}
