import { escapeControlCharacters } from '../../../src/client/escape-controls.ts';
import type { LogLine } from './log-buffer.ts';

/** The maximum length of a line. Longer lines are cut, because an endless line could exhaust the memory. */
export const maxLineCharacters = 16_384;

/**
 * Matches terminal escape sequences, such as colors. They are removed, because the console displays only the text of a
 * log.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const escapeSequences = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** Returns a line of output for display: without escape sequences, and with other control characters escaped. */
export function displayedText(text: string): string {
  return escapeControlCharacters(text.replaceAll(escapeSequences, ''));
}

const timestamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) ?/;

/** Splits the time from a line that was requested with `timestamps=true`. */
export function parseLogLine(line: string): LogLine {
  const [prefix = '', time = ''] = timestamp.exec(line) ?? [];
  return { time, text: displayedText(line.slice(prefix.length)) };
}

/** Compares two times in RFC 3339 with the precision of nanoseconds: negative if `a` is earlier than `b`. */
export function compareTimes(a: string, b: string): number {
  const seconds = (time: string) => Math.floor((Date.parse(time) || 0) / 1000);
  const fraction = (time: string) => Number((/\.(\d{1,9})/.exec(time)?.[1] ?? '').padEnd(9, '0'));
  return seconds(a) - seconds(b) || fraction(a) - fraction(b);
}

/** Decodes a stream of bytes into lines. Invalid UTF-8 is replaced, and lines longer than `maxCharacters` are cut. */
export class LineDecoder {
  readonly #decoder = new TextDecoder();
  readonly #maxCharacters: number;
  #rest = '';
  #cut = 0;

  constructor(maxCharacters = maxLineCharacters) {
    this.#maxCharacters = maxCharacters;
  }

  /** Returns the lines that are complete after these bytes. */
  decode(bytes: Uint8Array): string[] {
    const pieces = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = pieces.pop() ?? '';
    const lines = pieces.map((piece) => this.#completed(piece));
    if (this.#rest.length > this.#maxCharacters) {
      this.#cut += this.#rest.length - this.#maxCharacters;
      this.#rest = this.#rest.slice(0, this.#maxCharacters);
    }
    return lines;
  }

  /** Returns the rest of the stream as the last line, if no newline ends it. */
  end(): string[] {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = '';
    return rest === '' ? [] : [this.#completed(rest)];
  }

  #completed(piece: string): string {
    const line = piece.endsWith('\r') ? piece.slice(0, -1) : piece;
    const cut = this.#cut + Math.max(0, line.length - this.#maxCharacters);
    this.#cut = 0;
    return cut === 0 ? line : `${line.slice(0, this.#maxCharacters)}… (${cut} more characters)`;
  }
}
