import { hash, randomBytes } from 'node:crypto';

let secret: string | undefined;

/**
 * Returns a digest of a token, for use as a cache key. The digest includes a secret of this process, so the digest
 * cannot be used as a credential. Within one process, a token always has the same fingerprint; another process computes
 * a different fingerprint.
 */
export function tokenFingerprint(token: string): string {
  secret ??= randomBytes(32).toString('base64');
  return hash('sha256', secret + token, 'base64');
}
