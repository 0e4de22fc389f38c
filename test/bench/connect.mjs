import { connectHttp1 } from './http1-client.mjs';
import { connectHttp2 } from './http2-client.mjs';

export const protocols = { 'HTTP/1.1': connectHttp1, 'HTTP/2': connectHttp2 };

/**
 * A number of clients, each with a connection of its own, and what they are good for:
 * - `send(method, path, headers, body)`: the answer, read to its end;
 * - `stream(path, onData)`: an answer that goes on until `close()`;
 * - `close()`.
 */
export function connectMany(protocol, server, count) {
  return Array.from({ length: count }, () => protocols[protocol](server));
}

export async function closeAll(clients) {
  await Promise.all(clients.map((each) => each.close()));
}

/** Sends, and refuses every answer but the one that is expected: a benchmark of errors measures nothing. */
export async function expectStatus(expected, sending) {
  const answer = await sending;
  if (answer.status === expected) return answer;
  throw new Error(`${answer.status} instead of ${expected}: ${answer.body?.toString().slice(0, 500) ?? ''}`);
}
