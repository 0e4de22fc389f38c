import { RE2JS } from 're2js';

/** Longer patterns than this are refused before they are compiled. */
export const longestPattern = 1024;

/** What is wrong with a pattern; undefined: it can be used. */
export function patternError(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `must be at most ${longestPattern} characters long`;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `must be a regular expression of RE2 syntax: ${error instanceof Error ? error.message : 'cannot be read'}`;
  }
}

/**
 * Whether the pattern matches anywhere in the text, in time linear in the text whatever the pattern. A pattern that
 * cannot be used matches nothing.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (patternError(pattern) !== undefined) return false;
  return RE2JS.compile(pattern).matcher(text).find();
}
