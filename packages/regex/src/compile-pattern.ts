import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

/** Thrown for an invalid pattern. The message contains the reason. */
export class PatternError extends Error {}

/** Thrown for a pattern whose counted repetitions need too many instructions. */
export class PatternSizeError extends PatternError {
  constructor(size: number) {
    super(
      `must have fewer repetitions: they expand to ${size} instructions, and at most ${maxInstructions} are allowed`,
    );
  }
}

/**
 * The maximum number of instructions that a pattern is compiled to. Counted repetitions, such as `x{60}`, increase the
 * number. Patterns for names, addresses and versions have some hundred instructions.
 */
const maxInstructions = 5_000;

/* The units of work for compiling a character, an instruction, and a Unicode class, which has hundreds of ranges. */
const unitsPerCharacter = 1000;
const unitsPerInstruction = 500;
const unitsPerUnicodeClass = 50_000;
/**
 * The units of work for a non-ASCII character range in a pattern that ignores case. The compiler compares all
 * characters in such a range.
 */
const unitsPerFoldedRange = 1_000_000;
/** The units of work for matching a character of a text with an instruction. */
const unitsPerMatch = 2;

const ignoresCase = /\(\?[a-zA-Z-]*i/;
const beyondAscii = /\\x\{|[^\p{ASCII}]/u;

/** Returns the units of work for compiling a pattern, without compiling it. Throws PatternSizeError. */
export function compileUnits(pattern: string): number {
  const size = patternSize(pattern);
  if (size > maxInstructions) throw new PatternSizeError(size);
  const unicodeClasses = pattern.split(/\\p/i).length - 1;
  const foldedRanges = ignoresCase.test(pattern) ? pattern.split(beyondAscii).length - 1 : 0;
  return (
    pattern.length * unitsPerCharacter +
    size * unitsPerInstruction +
    unicodeClasses * unitsPerUnicodeClass +
    foldedRanges * unitsPerFoldedRange
  );
}

/**
 * Compiles a regular expression with the syntax of RE2. Calls `charge` with the units of work before it compiles, so
 * that a meter can stop expensive work. Throws PatternSizeError if the pattern is too large, or PatternError if it is
 * invalid.
 */
export function compilePattern(pattern: string, charge: (units: number) => void): RE2JS {
  charge(compileUnits(pattern));
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : 'it cannot be parsed');
  }
}

/** Returns the units of work for finding a pattern in a text: each character may be compared with each instruction. */
export function matchUnits(pattern: RE2JS, text: string): number {
  return (pattern.programSize() + 4) * (text.length + 1) * unitsPerMatch;
}
