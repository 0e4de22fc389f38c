import { maxParseDepth, maxValues } from '../json-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json-value.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const smallA = 0x61;
const smallF = 0x66;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Every integer with at most this many digits is represented exactly by a double. */
const maxExactDigits = 15;

/** Up to this number of items, insertion sort and linear search are faster than `sort` and a map. */
const fewItems = 16;

/**
 * Contains the JSON texts that `writeJson` would return for the members of a document and for the members of its member
 * `within`. The texts are assembled from pieces of the received text. That takes a fraction of the time of `writeJson`,
 * because nothing is unescaped and serialized again.
 */
export class SortedJsonText {
  readonly #within: string;
  readonly #parts: readonly Part[];
  /**
   * The number of members in the document, as `plainMembers` counts them; `undefined` if no text could be assembled.
   */
  readonly members: number | undefined;
  #document: JsonObject | undefined;
  readonly #values: (JsonValue | undefined)[] = [];
  /** The index of each value in `#values`, if there are too many for a search. */
  #positions: Map<JsonValue | undefined, number> | undefined;

  constructor(text: string, within: string) {
    const scanner = new Scanner(text, within);
    this.#within = within;
    this.#parts = scanner.isDone ? scanner.parts : [];
    this.members = scanner.isDone ? scanner.members : undefined;
  }

  /**
   * Returns the text of a member's value; `undefined` if it is not known. `document` is the parsed text, which must not
   * have duplicate members.
   */
  of(document: JsonObject, value: JsonObject | JsonValue[]): string | undefined {
    if (document !== this.#document) this.#index(document);
    const at = this.#positions === undefined ? this.#values.indexOf(value) : (this.#positions.get(value) ?? -1);
    return at === -1 ? undefined : this.#parts[at]?.text;
  }

  #index(document: JsonObject): void {
    this.#document = document;
    const inner = document[this.#within];
    this.#parts.forEach(({ inside, name }, at) => {
      const holder = inside ? inner : document;
      this.#values[at] = isJsonObject(holder) ? holder[name] : undefined;
    });
    const hasMany = this.#values.length > fewItems;
    this.#positions = hasMany ? new Map(this.#values.map((value, at) => [value, at])) : undefined;
  }
}

interface Part {
  readonly inside: boolean;
  readonly name: string;
  readonly text: string;
}

/**
 * Scans a text once. Stops at the first token that `writeJson` would write differently: white space, numbers other than
 * short integers, strings with unnecessary escapes, and names with any escape.
 */
class Scanner {
  readonly parts: Part[] = [];
  members = 0;
  #values = 0;
  readonly #text: string;
  readonly #within: string;
  #isInside = false;
  /** The current offset; -1 after the scan was stopped. */
  #at = 0;
  #hasUncomparableName = false;
  /**
   * Stacks with an entry per member of all open objects: start, end, and the new text if it differs from the original.
   */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #made: (string | undefined)[] = [];
  #top = 0;

  constructor(text: string, within: string) {
    this.#text = text;
    this.#within = `${within}"`;
    // All escapes other than these two have the same form in the text that `writeJson` writes.
    if (text.includes('\\u') || text.includes('\\/') || text.charCodeAt(0) !== openBrace) this.#giveUp();
    else this.#object(1);
  }

  get isDone(): boolean {
    return this.#at !== -1 && !this.#hasUncomparableName;
  }

  /** Skips the value at the current offset. Returns its sorted text if that differs from the original text. */
  #value(depth: number): string | undefined {
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) this.#at = endOfString(this.#text, this.#at);
    else if (code === openBrace) return this.#object(depth + 1);
    else if (code === openBracket) return this.#list(depth + 1);
    else this.#at = endOfScalar(this.#text, this.#at);
    return undefined;
  }

  #list(depth: number): string | undefined {
    const text = this.#text;
    const start = this.#at;
    let joined = '';
    let taken = start;
    let next = start + 1;
    if (depth > maxParseDepth || ++this.#values > maxValues) return this.#giveUp();
    if (text.charCodeAt(next) === closeBracket) {
      this.#at = next + 1;
      return undefined;
    }
    for (;;) {
      this.#at = next;
      const made = this.#value(depth);
      const end = this.#at;
      if (end === -1) return undefined;
      if (made !== undefined) {
        joined += text.slice(taken, next) + made;
        taken = end;
      }
      const code = text.charCodeAt(end);
      next = end + 1;
      if (code === closeBracket) break;
      if (code !== comma || ++this.#values > maxValues) return this.#giveUp();
    }
    this.#at = next;
    return taken === start ? undefined : joined + text.slice(taken, next);
  }

  #object(depth: number): string | undefined {
    const text = this.#text;
    const base = this.#top;
    let top = base;
    let next = this.#at + 1;
    let isSame = true;
    let isSorted = true;
    if (depth > maxParseDepth || ++this.#values > maxValues) return this.#giveUp();
    if (text.charCodeAt(next) === closeBrace) {
      this.#at = next + 1;
      return undefined;
    }
    for (;;) {
      if (text.charCodeAt(next) !== quote) return this.#giveUp();
      const keyEnd = text.indexOf('"', next + 1) + 1;
      if (text.charCodeAt(keyEnd) !== colon || text.charCodeAt(keyEnd - 2) === backslash) return this.#giveUp();
      this.#top = top + 1;
      this.#at = keyEnd + 1;
      const isWithin = depth === 1 && text.startsWith(this.#within, next + 1);
      if (isWithin) this.#isInside = true;
      const made = this.#value(depth);
      if (isWithin) this.#isInside = false;
      const end = this.#at;
      if (end === -1) return undefined;
      this.#from[top] = next;
      this.#to[top] = end;
      this.#made[top] = made === undefined ? undefined : text.slice(next, keyEnd + 1) + made;
      if (made !== undefined) isSame = false;
      if (isSorted && top > base && this.#isAfter(top - 1, next)) isSorted = false;
      if (depth === 1 ? !isWithin : depth === 2 && this.#isInside) this.#addPart(depth, next, keyEnd, made);
      top++;
      const code = text.charCodeAt(end);
      next = end + 1;
      if (code === closeBrace) break;
      if (code !== comma || ++this.#values > maxValues) return this.#giveUp();
    }
    this.members += top - base;
    this.#top = base;
    this.#at = next;
    if (isSame && isSorted) return undefined;
    if (!isSorted) {
      if (top - base > fewItems) this.#sortMany(base, top);
      else this.#sortFew(base, top);
    }
    return this.#join(base, top);
  }

  #giveUp(): undefined {
    this.#at = -1;
    return undefined;
  }

  #addPart(depth: number, keyAt: number, keyEnd: number, made: string | undefined): void {
    const text = this.#text;
    const first = text.charCodeAt(keyEnd + 1);
    if (first !== openBrace && first !== openBracket) return;
    const name = text.slice(keyAt + 1, keyEnd - 1);
    this.parts.push({ inside: depth === 2, name, text: made ?? text.slice(keyEnd + 1, this.#at) });
  }

  #join(base: number, top: number): string {
    let joined = '{';
    for (let at = base; at < top; at++) {
      if (at > base) joined += ',';
      joined += this.#made[at] ?? this.#text.slice(this.#from[at], this.#to[at]);
    }
    return `${joined}}`;
  }

  #sortMany(base: number, top: number): void {
    const order = Array.from({ length: top - base }, (_, index) => base + index);
    order.sort((one, other) => (this.#isAfter(one, this.#from[other] as number) ? 1 : -1));
    for (const list of [this.#from, this.#to, this.#made]) permute(list as unknown[], base, order);
  }

  #sortFew(base: number, top: number): void {
    for (let at = base + 1; at < top; at++) {
      const from = this.#from[at] as number;
      const to = this.#to[at] as number;
      const made = this.#made[at];
      let gap = at;
      for (; gap > base && this.#isAfter(gap - 1, from); gap--) {
        this.#from[gap] = this.#from[gap - 1] as number;
        this.#to[gap] = this.#to[gap - 1] as number;
        this.#made[gap] = this.#made[gap - 1];
      }
      this.#from[gap] = from;
      this.#to[gap] = to;
      this.#made[gap] = made;
    }
  }

  /** True if the name of a member sorts after the name that starts at offset `other`. */
  #isAfter(member: number, other: number): boolean {
    const text = this.#text;
    const own = this.#from[member] as number;
    for (let at = 1; ; at++) {
      const code = text.charCodeAt(own + at);
      const otherCode = text.charCodeAt(other + at);
      if (isOdd(code) || isOdd(otherCode)) this.#hasUncomparableName = true;
      if (code !== otherCode) return otherCode === quote || (code !== quote && code > otherCode);
      if (code === quote) return false;
    }
  }
}

/** Moves the items at the indexes in `order` to `base` and the following indexes. */
function permute<T>(list: T[], base: number, order: readonly number[]): void {
  const sorted = order.map((at) => list[at] as T);
  sorted.forEach((item, index) => {
    list[base + index] = item;
  });
}

/**
 * True for characters that make a comparison by UTF-16 code unit wrong: the backslash of an escape, and surrogates,
 * which sort differently by UTF-8 bytes.
 */
function isOdd(code: number): boolean {
  return code === backslash || code >= 0xd800;
}

/** Returns the index after the string that starts at `at`; -1 if the string has no end. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return -1;
}

/**
 * Returns the index after the scalar at `at`; -1 if `writeJson` may write the scalar differently. For a non-integer it
 * returns the index of the `.` or `e`, which the caller rejects as an unexpected character.
 */
function endOfScalar(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first >= smallA) return at + (first === smallF ? 'false' : 'null').length;
  const digits = first === minus ? at + 1 : at;
  let end = digits;
  while (isDigit(text.charCodeAt(end))) end++;
  const isOdd = end === digits || end - digits > maxExactDigits || (text.charCodeAt(digits) === zero && end - at > 1);
  return isOdd ? -1 : end;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}
