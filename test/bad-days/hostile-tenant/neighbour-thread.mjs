import { once } from 'node:events';
import { connect } from 'node:http2';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A tenant on a separate thread, so the attacker's client does not delay her. Each of her requests is sent at a fixed
 * interval, even while earlier requests wait: a server that stops for a second delays all requests of this second.
 */
const { url, ca, key, requests, intervalMs } = workerData;

let period;
const inFlight = new Set();

async function send(session, { method, path, body, status: expected }) {
  const measured = period;
  const begun = performance.now();
  try {
    const stream = session.request({
      ':method': method,
      ':path': path,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });
    stream.setEncoding('utf8').end(body === undefined ? undefined : JSON.stringify(body));
    const [headers] = await once(stream, 'response');
    let text = '';
    for await (const part of stream) text += part;
    if (headers[':status'] !== expected) measured.failures.push(`${method} ${path}: ${headers[':status']} ${text}`);
  } catch (error) {
    measured.failures.push(`${method} ${path}: ${error}`);
  }
  const milliseconds = performance.now() - begun;
  measured.times.push(milliseconds);
  if (milliseconds > measured.worst.milliseconds) measured.worst = { milliseconds, request: `${method} ${path}` };
}

/** One connection per request, so a large response does not delay other responses. */
const sessions = requests.map(() => connect(url, { ca }));
for (const session of sessions) session.on('error', (error) => period?.failures.push(`the connection: ${error}`));

const timer = setInterval(() => {
  if (period === undefined) return;
  for (const [index, each] of requests.entries()) {
    const sent = send(sessions[index], each);
    inFlight.add(sent);
    void sent.finally(() => inFlight.delete(sent));
  }
}, intervalMs);

for (;;) {
  const [command] = await once(parentPort, 'message');
  if (command === 'begin') {
    period = { times: [], failures: [], worst: { milliseconds: 0, request: '' } };
  } else if (command === 'end') {
    const ended = period;
    period = undefined;
    await Promise.all(inFlight);
    parentPort.postMessage(ended);
  } else {
    break;
  }
}
clearInterval(timer);
for (const session of sessions) session.destroy();
parentPort.close();
