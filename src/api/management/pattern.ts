import { WorkMeter } from '@flotilla/work-meter';
import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

/** Maximum number of characters in a regular expression. Longer patterns are rejected before they are compiled. */
export const maxPatternLength = 1024;

/** Maximum number of instructions that a pattern is compiled to. They grow with counted repetitions, such as `x{60}`. */
const maxPatternSize = 5000;

/** The maximum work of checking the parameters of an object. A unit takes less than 10 ns. */
const maxUnits = 30_000_000;

/** The units of work for compiling a character, a Unicode class (which has hundreds of ranges) and an instruction. */
const unitsPerCharacter = 1000;
const unitsPerUnicodeClass = 50_000;
const unitsPerInstruction = 500;
/** The units of work for a range beyond ASCII in a pattern that ignores case, which compares all characters in it. */
const unitsPerFoldedRange = 1_000_000;
/** The units of work for matching a character of a text with an instruction. */
const unitsPerMatch = 2;

const ignoresCase = /\(\?[a-zA-Z-]*i/;
const beyondAscii = /\\x\{|[^\p{ASCII}]/u;

/**
 * The regular expressions (RE2) that one check of parameters uses. Each is compiled once. Compiling and matching are
 * metered: the time for a text is linear in its length and in the size of the pattern. Methods throw WorkLimitError.
 */
export class ParameterPatterns {
  readonly #meter = new WorkMeter('checking the parameters', maxUnits);
  /** The compiled patterns, or the errors in them. */
  readonly #compiled = new Map<string, RE2JS | string>();
  #isOverLimit = false;

  /** True after a method has thrown WorkLimitError. Further checks would fail too, so they need not be reported. */
  get isOverLimit(): boolean {
    return this.#isOverLimit;
  }

  /** Returns the error in a pattern. `undefined` if the pattern is valid. */
  error(pattern: string): string | undefined {
    const compiled = this.#compile(pattern);
    return typeof compiled === 'string' ? compiled : undefined;
  }

  /** True if the pattern matches anywhere in the text. An invalid pattern matches no text. */
  matches(pattern: string, text: string): boolean {
    const compiled = this.#compile(pattern);
    if (typeof compiled === 'string') return false;
    this.#charge((compiled.programSize() + 4) * (text.length + 1) * unitsPerMatch);
    return compiled.matcher(text).find();
  }

  #compile(pattern: string): RE2JS | string {
    const known = this.#compiled.get(pattern);
    if (known !== undefined) return known;
    const compiled = this.#compileNew(pattern);
    this.#compiled.set(pattern, compiled);
    return compiled;
  }

  #compileNew(pattern: string): RE2JS | string {
    if (pattern.length > maxPatternLength) return `must be at most ${maxPatternLength} characters long`;
    const size = patternSize(pattern);
    if (size > maxPatternSize)
      return `must have fewer repetitions: they expand to ${size} instructions, and at most ${maxPatternSize} are allowed`;
    const unicodeClasses = pattern.split(/\\p/i).length - 1;
    const foldedRanges = ignoresCase.test(pattern) ? pattern.split(beyondAscii).length - 1 : 0;
    this.#charge(
      pattern.length * unitsPerCharacter +
        size * unitsPerInstruction +
        unicodeClasses * unitsPerUnicodeClass +
        foldedRanges * unitsPerFoldedRange,
    );
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      return `must be a valid RE2 regular expression: ${error instanceof Error ? error.message : 'it cannot be parsed'}`;
    }
  }
  #charge(units: number): void {
    this.#isOverLimit = true;
    this.#meter.charge(units);
    this.#isOverLimit = false;
  }
}
