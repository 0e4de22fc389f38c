import { setTimeout as sleep } from 'node:timers/promises';
import { headerBlock } from './hpack.mjs';
import { Http2Connection } from './http2-connection.mjs';

/** The number of retries after 429; see `retriesSince`. */
let retries = 0;

/** The number of requests that were refused with 429 and retried since an earlier value of the counter. */
export const retriesSince = (before = 0) => retries - before;

/**
 * One API client: a separate connection and one bearer token. Like the Go client, it retries after a 429. Any other
 * unexpected response is an error, because a failed request would distort the measurement.
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
    /** Sends a request that is expected to be refused. Returns the status. */
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

/**
 * Opens several clients, in turn at each replica of the target. Only a few handshakes run at a time, because hundreds
 * of concurrent handshakes would only wait for each other.
 */
export async function openClients(target, count) {
  const { urls = [target.url] } = target;
  const clients = [];
  while (clients.length < count) {
    const some = Array.from({ length: Math.min(32, count - clients.length) }, (_, at) => clients.length + at);
    const open = (number) => openClient({ ...target, url: urls[number % urls.length] });
    clients.push(...(await Promise.all(some.map(open))));
  }
  return clients;
}

export function closeClients(clients) {
  for (const each of clients) each.close();
}
