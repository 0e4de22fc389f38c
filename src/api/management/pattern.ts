import { RE2JS } from 're2js';

/** Longer patterns are rejected before they are compiled. */
export const maxPatternLength = 1024;

/** The error in a pattern. `undefined` if the pattern is valid. */
export function patternError(pattern: string): string | undefined {
  if (pattern.length > maxPatternLength) return `must be at most ${maxPatternLength} characters long`;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `must be a valid RE2 regular expression: ${error instanceof Error ? error.message : 'it cannot be parsed'}`;
  }
}

/**
 * True if the pattern matches anywhere in the text. Takes time linear in the length of the text, for any pattern. An
 * invalid pattern matches nothing.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (patternError(pattern) !== undefined) return false;
  return RE2JS.compile(pattern).matcher(text).find();
}
