import { hash, randomBytes } from 'node:crypto';

let secret: string | undefined;

/**
 * Returns a digest of a token, for use as a cache key. The digest uses a secret of this process, so that it cannot be
 * used as a credential. A token has the same fingerprint throughout one process and a different one in any other.
 */
export function tokenFingerprint(token: string): string {
  secret ??= randomBytes(32).toString('base64');
  return hash('sha256', secret + token, 'base64');
}
