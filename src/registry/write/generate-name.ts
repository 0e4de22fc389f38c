import { randomInt } from 'node:crypto';

/** No vowels and no ambiguous characters, so that suffixes do not form words (rule CREATE-12). */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

const suffixLength = 5;
const longestName = 63;

/** The number of suffixes to try if generated names are taken (rule CREATE-13). */
export const generateAttempts = 8;

export function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The base is truncated so that the result is a DNS label. */
export function generateName(base: string, suffix: string): string {
  return base.slice(0, longestName - suffixLength) + suffix;
}
