// A separate process that opens many watches at once, so the latency that a test measures does not include the work of
// this client. It receives one message with its options and reports the number of open watches continuously.
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('./watch-storm.ts').WatchStormOptions} WatchStormOptions */

const counts = { open: 0, refused: 0, failed: 0 };
const reportMilliseconds = 50;
/** The time after which a client connects again, as the Go client does: about a second, different for each client. */
const reconnectMilliseconds = () => 500 + 1000 * Math.random();

/**
 * The connection of one client. It is opened again after the server has closed it.
 * @param {WatchStormOptions} options
 */
function reconnecting({ url, ca }) {
  let session;
  return () => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(url, { ca });
      session.on('error', () => {});
    }
    return session;
  };
}

/**
 * Opens a watch and resolves with the seconds to wait before the next attempt: after the Retry-After of a refusal, or
 * after the end of the watch.
 * @param {import('node:http2').ClientHttp2Session} session
 * @param {Record<string, string>} headers
 * @returns {Promise<number>}
 */
function watchOnce(session, headers) {
  return new Promise((resolve) => {
    let isOpen = false;
    let retryMilliseconds = reconnectMilliseconds();
    const stream = session.request(headers);
    stream.on('response', ({ ':status': status, 'retry-after': retryAfter }) => {
      isOpen = status === 200;
      if (isOpen) counts.open++;
      else if (status === 429) {
        counts.refused++;
        retryMilliseconds = 1000 * Number(retryAfter);
      } else counts.failed++;
      stream.resume();
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      if (isOpen) counts.open--;
      resolve(retryMilliseconds);
    });
  });
}

/** @param {WatchStormOptions} options */
async function keepWatching(options, session, key) {
  const headers = { ':path': options.path, authorization: `Bearer ${key}`, accept: 'application/json' };
  for (;;) await sleep(await watchOnce(session(), headers));
}

process.once('message', (/** @type {WatchStormOptions} */ options) => {
  for (let client = 0; client < options.clients; client++) {
    const session = reconnecting(options);
    const key = options.keys[client % options.keys.length];
    for (let count = 0; count < options.watchesPerClient; count++) void keepWatching(options, session, key);
  }
  setInterval(() => process.send?.(counts), reportMilliseconds);
});
process.once('disconnect', () => process.exit());
