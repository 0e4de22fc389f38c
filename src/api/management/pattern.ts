import { RE2JS } from 're2js';

/** Maximum number of characters in a regular expression. Longer patterns are rejected before they are compiled. */
export const maxPatternLength = 1024;

/** Returns the error in a regular expression (RE2). `undefined` if the pattern is valid. */
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
 * True if the regular expression matches anywhere in the text. The time is linear in the length of the text for every
 * pattern. An invalid pattern matches no text.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (patternError(pattern) !== undefined) return false;
  return RE2JS.compile(pattern).matcher(text).find();
}
