import { invalidCharacter, JsonSyntaxError, tooManyValues } from './json-syntax-error.ts';
import { type JsonObject, type JsonValue, setMember } from './json-value.ts';

/** The maximum nesting depth, which is the same as in Go's encoding/json. */
export const maxDepth = 10_000;

/** The maximum number of duplicates that are reported, because a malicious document could contain any number. */
const maxDuplicates = 100;

/**
 * The maximum work for building the paths of duplicates: one unit per level and per character. Without a limit, the
 * time would grow with the product of the nesting depth and the number of duplicates.
 */
const maxPathWork = 1_000_000;

const largestInt64 = 9223372036854775807n;
const smallestInt64 = -9223372036854775808n;

/** Matches only unpaired surrogates, because with the `u` flag a surrogate pair is one character. */
const loneSurrogate = /\p{Surrogate}/gu;

interface Frame {
  readonly container: JsonObject | JsonValue[];
  /** The name of the member whose value is read next. Used only for objects. */
  key: string;
  /** The names of duplicate members that were reported. Absent if there are none. */
  reported?: Set<string>;
}

/**
 * Parses JSON character by character, with an explicit stack instead of recursion. Unlike JSON.parse, it reports
 * duplicate members, returns exact integers beyond 2^53, rejects numbers that do not fit a float64, and throws errors
 * with the messages of Go.
 */
export class JsonReader {
  readonly #text: string;
  #at = 0;
  readonly #stack: Frame[] = [];
  readonly duplicates: string[] = [];
  readonly #seen = new Set<string>();
  #pathWork = 0;

  readonly #maxValues: number;
  #values = 0;

  constructor(text: string, maxValues = Number.POSITIVE_INFINITY) {
    this.#text = text;
    this.#maxValues = maxValues;
  }

  read(): JsonValue {
    let value = this.#beginValue();
    for (;;) {
      const frame = this.#stack.at(-1);
      if (frame === undefined) break;
      if (value === undefined) {
        value = this.#beginMember(frame, true);
      } else {
        this.#store(frame, value);
        value = this.#beginMember(frame, false);
      }
    }
    this.#skipSpace();
    if (this.#at < this.#text.length) throw invalidCharacter(this.#text, this.#at, 'after top-level value');
    return value as JsonValue;
  }

  /** Reads a scalar and returns it, or opens an object or array and returns `undefined`. */
  #beginValue(): JsonValue | undefined {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    switch (code) {
      case 0x22:
        return this.#string();
      case 0x7b:
        this.#open({});
        return undefined;
      case 0x5b:
        this.#open([]);
        return undefined;
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number();
        throw invalidCharacter(this.#text, this.#at, 'looking for beginning of value');
    }
  }

  #open(container: JsonObject | JsonValue[]): void {
    if (this.#stack.length >= maxDepth) throw invalidCharacter(this.#text, this.#at, 'exceeded max depth');
    this.#at++;
    this.#stack.push({ container, key: '' });
  }

  /**
   * Reads the next item or member of `frame`. Returns the value if it is a scalar; `undefined` if it opens an object or
   * array. At the end of the enclosing object or array, returns that object or array.
   */
  #beginMember(frame: Frame, first: boolean): JsonValue | undefined {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    const isArray = Array.isArray(frame.container);
    if (code === (isArray ? 0x5d : 0x7d)) {
      this.#at++;
      this.#stack.pop();
      return frame.container;
    }
    if (!first) {
      if (code !== 0x2c) {
        const context = isArray ? 'after array element' : 'after object key:value pair';
        throw invalidCharacter(this.#text, this.#at, context);
      }
      this.#at++;
    }
    if (!Array.isArray(frame.container)) {
      frame.key = this.#key();
      if (Object.hasOwn(frame.container, frame.key)) this.#reportDuplicate(frame);
    }
    return this.#beginValue();
  }

  #key(): string {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== 0x22) {
      throw invalidCharacter(this.#text, this.#at, 'looking for beginning of object key string');
    }
    const key = this.#string();
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) throw invalidCharacter(this.#text, this.#at, 'after object key');
    this.#at++;
    return key;
  }

  #store(frame: Frame, value: JsonValue): void {
    if (++this.#values > this.#maxValues) throw tooManyValues(this.#maxValues);
    if (Array.isArray(frame.container)) frame.container.push(value);
    else setMember(frame.container, frame.key, value);
  }

  #reportDuplicate(frame: Frame): void {
    if (this.duplicates.length >= maxDuplicates || this.#pathWork > maxPathWork) return;
    frame.reported ??= new Set();
    if (frame.reported.has(frame.key)) return;
    frame.reported.add(frame.key);
    const path = this.#stack
      .map(({ container, key }) => (Array.isArray(container) ? `[${container.length}]` : `.${key}`))
      .join('');
    this.#pathWork += this.#stack.length + path.length;
    const field = path.startsWith('.') ? path.slice(1) : path;
    if (this.#seen.has(field)) return;
    this.#seen.add(field);
    this.duplicates.push(field);
  }

  #skipSpace(): void {
    let at = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      at++;
    }
    this.#at = at;
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    for (let index = 1; index < word.length; index++) {
      if (this.#text[this.#at + index] !== word[index]) {
        const context = `in literal ${word} (expecting '${word[index]}')`;
        throw invalidCharacter(this.#text, this.#at + index, context);
      }
    }
    this.#at += word.length;
    return value;
  }

  #digits(context: string): void {
    const start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= 0x30 && code <= 0x39)) break;
      this.#at++;
    }
    if (this.#at === start) throw invalidCharacter(this.#text, this.#at, context);
  }

  #number(): number | bigint {
    const start = this.#at;
    let whole = true;
    if (this.#text[this.#at] === '-') this.#at++;
    // A number with a leading zero ends after the zero, so `01` is an error at the second digit, as in Go.
    if (this.#text[this.#at] === '0') this.#at++;
    else this.#digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      whole = false;
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      whole = false;
      this.#at++;
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at++;
      this.#digits('in exponent of numeric literal');
    }
    const digits = this.#text.slice(start, this.#at);
    return whole ? exactInteger(digits) : finite(digits);
  }

  #string(): string {
    const start = this.#at + 1;
    let at = start;
    for (;;) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        return this.#text.slice(start, at);
      }
      if (code === 0x5c) return this.#stringWithEscapes(start, at);
      if (!(code >= 0x20)) throw invalidCharacter(this.#text, at, 'in string literal');
      at++;
    }
  }

  /**
   * Reads a string with escapes. Validates the escapes, decodes them with JSON.parse, and replaces unpaired surrogates
   * by U+FFFD.
   */
  #stringWithEscapes(start: number, firstEscape: number): string {
    let at = firstEscape;
    for (;;) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) at = this.#escape(at + 1);
      else if (code >= 0x20) at++;
      else throw invalidCharacter(this.#text, at, 'in string literal');
    }
    this.#at = at + 1;
    return (JSON.parse(this.#text.slice(start - 1, at + 1)) as string).replace(loneSurrogate, '\ufffd');
  }

  #escape(at: number): number {
    const letter = this.#text[at] ?? '';
    if (letter === '' || !'"\\/bfnrtu'.includes(letter)) {
      throw invalidCharacter(this.#text, at, 'in string escape code');
    }
    if (letter !== 'u') return at + 1;
    for (let index = at + 1; index <= at + 4; index++) {
      if (!isHexadecimal(this.#text.charCodeAt(index))) {
        throw invalidCharacter(this.#text, index, 'in \\u hexadecimal character escape');
      }
    }
    return at + 5;
  }
}

function isHexadecimal(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** Parses an integer exactly if it fits int64. A larger integer becomes a rounded float64. */
export function exactInteger(digits: string): number | bigint {
  const rounded = Number(digits);
  if (Number.isSafeInteger(rounded)) return rounded + 0;
  // A text of more than 20 characters is not an int64, and parsing a megabyte of digits as a bigint is slow.
  if (digits.length > 20) return finite(digits);
  const exact = BigInt(digits);
  return exact > largestInt64 || exact < smallestInt64 ? rounded : exact;
}

function finite(digits: string): number {
  const value = Number(digits);
  if (Number.isFinite(value)) return value;
  throw new JsonSyntaxError(`json: cannot unmarshal number ${digits} into Go value of type float64`);
}
