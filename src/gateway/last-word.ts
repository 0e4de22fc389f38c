import { StatusError } from '../api/status.ts';
import type { ApiResponse } from '../hosts/host.ts';
import type { RequestEnd } from '../http/request-end.ts';

const newline = 0x0a;

/**
 * A watch of another server that this one ends says why, as its own do: who has to list again, or to wake what sleeps,
 * would take a stream that just ends up where it was.
 */
export async function* withLastWord(answer: ApiResponse, end: RequestEnd): AsyncGenerator<Uint8Array> {
  const saysLines = /^application\/json\b/.test(String(answer.headers['content-type'] ?? ''));
  const isPacked = answer.headers['content-encoding'] !== undefined;
  let isBetweenLines = saysLines && !isPacked;
  try {
    for await (const chunk of answer.body) {
      if (saysLines && !isPacked) isBetweenLines = chunk.at(-1) === newline;
      yield chunk;
    }
  } catch (error) {
    if (!isBetweenLines || !(end.reason instanceof StatusError)) throw error;
    yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: end.reason.status })}\n`);
  }
}
