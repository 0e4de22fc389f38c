import { setTimeout as sleep } from 'node:timers/promises';
import { headerBlock } from './hpack.mjs';
import { Http2Connection } from './http2-connection.mjs';

/** Times that a request was told to come again later; see `retriesSince`. */
let retries = 0;

/** How often requests have been refused with 429 and sent again since a number that this gave before. */
export const retriesSince = (before = 0) => retries - before;

/**
 * One client of an API: a connection of its own and one bearer token. Like the Go client it does as a 429 tells it and
 * comes again later; every other answer than the expected one is an error, as a measured error measures nothing.
 */
export async function openClient(target) {
  const connection = await Http2Connection.open(target);
  const blocks = new Map();
  const blockOf = (media = {}, authorization = target.authorization) => {
    const key = `${authorization} ${media.accept} ${media.contentType} ${media.encoding}`;
    if (!blocks.has(key)) {
      const { accept = 'application/json', contentType, encoding } = media;
      const headers = { authorization, accept, 'user-agent': 'flotilla-bench' };
      if (contentType !== undefined) headers['content-type'] = contentType;
      if (encoding !== undefined) headers['accept-encoding'] = encoding;
      blocks.set(key, headerBlock(headers));
    }
    return blocks.get(key);
  };
  return {
    async send(expected, method, path, { body, media, authorization } = {}) {
      for (;;) {
        const answer = await connection.send(method, path, blockOf(media, authorization), body);
        if (answer.status === expected) return answer;
        if (answer.status !== 429) throw unexpected(method, path, expected, answer);
        retries++;
        await sleep(1000 * (JSON.parse(answer.body).details?.retryAfterSeconds ?? 1));
      }
    },
    /** For a request whose refusal is what is waited for. */
    async status(method, path, authorization) {
      return (await connection.send(method, path, blockOf({}, authorization))).status;
    },
    async watch(path, handlers) {
      for (;;) {
        const stream = await connection.stream(path, blockOf(), handlers);
        if (stream.status === 200) return stream;
        if (stream.status !== 429) throw unexpected('GET', path, 200, { status: stream.status, body: '' });
        retries++;
        await sleep(1000);
      }
    },
    close: () => connection.close(),
  };
}

function unexpected(method, path, expected, { status, body }) {
  return new Error(`${method} ${path}: ${status} instead of ${expected}: ${body.toString().slice(0, 1000)}`);
}

/** Several clients; handshakes are made a few at a time, as hundreds at once only wait for each other. */
export async function openClients(target, count) {
  const clients = [];
  while (clients.length < count) {
    const some = Math.min(32, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: some }, () => openClient(target)))));
  }
  return clients;
}

export function closeClients(clients) {
  for (const each of clients) each.close();
}
