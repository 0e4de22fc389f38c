import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Copies the bytes of each stream to the other until both have ended. Rejects if one of them fails. */
export async function joinStreams(one: Duplex, other: Duplex): Promise<void> {
  await Promise.all([pipeline(one, other), pipeline(other, one)]);
}
