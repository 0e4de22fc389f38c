import { randomInt } from 'node:crypto';

/** The characters of a name suffix. Without vowels, 0, 1 and 3, a suffix does not form words (rule CREATE-12). */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

const suffixLength = 5;
const longestName = 63;

/** The maximum number of suffixes to try if the generated names already exist (rule CREATE-13). */
export const maxGenerateNameAttempts = 8;

export function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Appends a suffix to a base. The base is truncated so that the name has at most 63 characters. */
export function generateName(base: string, suffix: string): string {
  return base.slice(0, longestName - suffixLength) + suffix;
}
