import { readFileSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';

/** Kubernetes replaces the token of a pod when 80 % of its lifetime have passed, which is at least 10 minutes. */
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
      // The API server rejects the old token when it expires, and the error names the credentials.
    }
    return token;
  };
}
