import { randomInt } from 'node:crypto';

/** No vowels and nothing that looks like something else, so that no words come about (rule CREATE-12). */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

const suffixLength = 5;
const longestName = 63;

/** How often a new suffix is tried when a generated name is taken (rule CREATE-13). */
export const generateAttempts = 8;

export function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The base is cut so that the whole stays a DNS label. */
export function generateName(base: string, suffix: string): string {
  return base.slice(0, longestName - suffixLength) + suffix;
}
