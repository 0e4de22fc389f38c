import { hash, randomBytes } from 'node:crypto';

let secret: string | undefined;

/**
 * What a token is remembered under: a digest with a secret of this process, as what lies in memory for long must not be
 * worth stealing. The same token always has the same mark, in this process and in no other.
 */
export function tokenMark(token: string): string {
  secret ??= randomBytes(32).toString('base64');
  return hash('sha256', secret + token, 'base64');
}
