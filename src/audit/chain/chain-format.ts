import { hash } from 'node:crypto';
import type { ChainLink } from '../../api/audit/audit-chain.ts';

/** The number of characters of a SHA-256 hash in base64url. */
export const hashLength = 43;
const hashStart = ',"hash":"';
/** The text after the hash at the end of every line. */
export const lineEnd = '"}}\n';
const chainKey = ',"chain":{"seq":';

/** The length of the hashed bytes before a line: the previous hash and `lineEnd`. */
export const seedLength = hashLength + lineEnd.length;

/** The members of a link that are absent in most lines. */
export type ChainNotes = Omit<ChainLink, 'seq' | 'hash'>;

/** Returns the text between the members of the event and the hash. */
export function linkText(seq: number, notes: ChainNotes | undefined): string {
  if (notes === undefined) return `${chainKey}${seq}`;
  const { previous, signed, repaired, lost } = notes;
  const text = JSON.stringify({ previous, signed, repaired, lost }).slice(1, -1);
  return text === '' ? `${chainKey}${seq}` : `${chainKey}${seq},${text}`;
}

/** Returns the text between the link and the newline: the hash and the closing braces. */
export function hashText(value: string): string {
  return `${hashStart}${value}"}}`;
}

/** The length of `hashText` plus the newline, in bytes. */
export const hashTextLength = hashStart.length + seedLength;

/**
 * Returns the hash of a line. The argument is the seed (the previous hash and `lineEnd`), followed by the part of the
 * line before its own hash.
 */
export function chainHash(seedAndLine: Uint8Array): string {
  return hash('sha256', seedAndLine, 'base64url');
}

/** Reads the link of a line without its newline. `undefined` if the line has none. */
export function readLink(line: Buffer): ChainLink | undefined {
  const end = line.length - hashTextLength + 1;
  if (end <= 0 || line.toString('latin1', end, end + hashStart.length) !== hashStart) return undefined;
  const start = line.lastIndexOf(chainKey, end);
  if (start < 0) return undefined;
  return parseLink(line.toString('utf8', start + ',"chain":'.length, line.length - 1));
}

function parseLink(text: string): ChainLink | undefined {
  try {
    const link = JSON.parse(text) as ChainLink;
    return Number.isSafeInteger(link.seq) && link.seq > 0 && isHash(link.hash) ? link : undefined;
  } catch {
    return undefined;
  }
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && value.length === hashLength && /^[\w-]+$/.test(value);
}
