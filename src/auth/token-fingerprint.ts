import { hash, randomBytes } from 'node:crypto';

let secret: string | undefined;

/**
 * Returns the cache key of a token: a digest with a per-process secret, so that data that stays in memory is not usable
 * as a credential. A token always has the same fingerprint in one process and a different one in any other.
 */
export function tokenFingerprint(token: string): string {
  secret ??= randomBytes(32).toString('base64');
  return hash('sha256', secret + token, 'base64');
}
