import { compilePattern, matchUnits, PatternError, PatternSizeError } from '@flotilla/regex';
import { WorkMeter } from '@flotilla/work-meter';
import type { RE2JS } from 're2js';

/** Maximum number of characters in a regular expression. Longer patterns are rejected before they are compiled. */
export const maxPatternLength = 1024;

/** The maximum work of checking the parameters of an object. A unit takes less than 10 ns. */
const maxUnits = 30_000_000;

/**
 * The regular expressions (RE2) that one check of parameters uses. Each is compiled only once. Compiling and matching
 * are metered: the time for a text is linear in the length of the text and in the size of the pattern. Methods throw
 * WorkLimitError.
 */
export class ParameterPatterns {
  readonly #meter = new WorkMeter('checking the parameters', maxUnits);
  /** The compiled patterns, or the errors in them. */
  readonly #compiled = new Map<string, RE2JS | string>();
  #isOverLimit = false;

  /**
   * True after a method has thrown WorkLimitError. Later checks would also fail, so their errors need not be reported.
   */
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
    this.#charge(matchUnits(compiled, text));
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
    try {
      return compilePattern(pattern, (units) => this.#charge(units));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      if (error instanceof PatternSizeError) return error.message;
      return `must be a valid RE2 regular expression: ${error.message}`;
    }
  }

  #charge(units: number): void {
    this.#isOverLimit = true;
    this.#meter.charge(units);
    this.#isOverLimit = false;
  }
}
