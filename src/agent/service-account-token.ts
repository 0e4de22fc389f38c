import { readFileSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';

/**
 * The time after which the token file is read again, in milliseconds. Kubernetes replaces the token of a pod after 80 %
 * of the token's lifetime, which is at least 10 minutes.
 */
const rereadMilliseconds = 60_000;

/**
 * Returns a function that returns the current token in a file. The file is read again after a minute, because Kubernetes
 * replaces the token of a pod before it expires. If the file cannot be read, the last token is used. Throws if the
 * first read fails.
 */
export function followTokenFile(path: string, clock: Pick<Clock, 'elapsed'>): () => string {
  const read = () => readFileSync(path, 'utf8').trim();
  let token = read();
  let readAt = clock.elapsed();
  return () => {
    if (clock.elapsed() - readAt < rereadMilliseconds) return token;
    readAt = clock.elapsed();
    try {
      token = read();
    } catch {
      // Continue with the old token. When it expires, the API server rejects it with an error that names the
      // credentials.
    }
    return token;
  };
}
