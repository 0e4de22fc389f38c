import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../../test/bad-days/eventually.ts';
import { systemClock } from '../../../lib/clock.ts';
import { bodyText, neverAborted, statusErrorOf } from '../observe/api-request.fixture.ts';
import { ApiServerTestEnv } from './api-server.fixture.ts';
import { dialServer } from './dial-server.ts';
import { type HttpPool, openHttpPool } from './http-pool.ts';
import type { HttpPoolRequest } from './http-pool-request.ts';

let bench: ApiServerTestEnv;
const open: HttpPool[] = [];
const mostConnections = 4;

beforeEach(async () => {
  bench = await ApiServerTestEnv.start();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((wire) => wire.close()));
  await bench.close();
});

function wireTo(server: string, idleTimeoutMs?: number): HttpPool {
  const dial = dialServer({ ...bench.kubeconfig, server }, { clock: systemClock, timeout: 10_000 });
  const wire = openHttpPool({
    origin: server,
    dial,
    clock: systemClock,
    responseTimeoutMs: 10_000,
    maxConnections: mostConnections,
    idleTimeoutMs,
  });
  open.push(wire);
  return wire;
}

const asking = (path: string, signal = neverAborted): HttpPoolRequest => ({ method: 'GET', path, headers: [], signal });

test('watches have their own connections, and the other connections are reused', async () => {
  const wire = wireTo(bench.kubeconfig.server);
  bench.respond = ({ url }, response) => {
    if (url.includes('watch')) response.write('{}\n');
    else response.end('ok');
  };
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const watching = asking('/api/v1/pods?watch=true', ending.signal);
  const watches = await Promise.all(Array.from({ length: 3 * mostConnections }, () => wire.send(watching)));
  expect(watches.map(({ status }) => status)).toEqual(watches.map(() => 200));
  const before = bench.connections;
  for (let at = 0; at < 20; at++) expect(await bodyText(await wire.send(asking('/api')))).toBe('ok');
  // The connection of the previous request may not be free yet when the next request arrives.
  expect(bench.connections - before).toBeLessThanOrEqual(2);
  expect(wire.connections).toBe(bench.connections);
  ending.abort();
});

test('many concurrent requests share a few connections', async () => {
  const wire = wireTo(bench.kubeconfig.server);
  const asked = Array.from({ length: 20 * mostConnections }, async () => bodyText(await wire.send(asking('/api'))));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['{}']));
  expect(bench.connections).toBeLessThanOrEqual(mostConnections);
});

test('all of many concurrent requests fail if the server is down', async () => {
  const wire = wireTo('https://127.0.0.1:1');
  const asked = Array.from({ length: 20 * mostConnections }, () => statusErrorOf(wire.send(asking('/api'))));
  for (const error of await Promise.all(asked)) expect(error.message).toContain('refused the connection');
});

test('a request beyond the queue limit gets 429, and watches are not delayed', async () => {
  const wire = wireTo(bench.kubeconfig.server);
  bench.respond = ({ url }, response) => {
    if (url.includes('watch')) response.end('watched');
  };
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const waiting = Array.from({ length: mostConnections + 2000 }, () => wire.send(asking('/api', ending.signal)));
  const refused = await statusErrorOf(wire.send(asking('/api')));
  expect([refused.code, refused.status.details?.retryAfterSeconds]).toEqual([429, 1]);
  expect(await bodyText(await wire.send(asking('/api?watch=1')))).toBe('watched');
  ending.abort(new Error('enough'));
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected');
  bench.respond = (_, response) => response.end('ok');
  expect(await bodyText(await wire.send(asking('/api')))).toBe('ok');
});

test('idle connections are closed after the timeout, and later requests open new ones', async () => {
  const wire = wireTo(bench.kubeconfig.server, 100);
  for (let round = 1; round <= 2; round++) {
    const before = bench.connections;
    const answers = await Promise.all([wire.send(asking('/api')), wire.send(asking('/api?watch=1'))]);
    for (const answer of answers) expect(await bodyText(answer)).toBe('{}');
    await eventually(
      30,
      () => wire.connections,
      (open) => open === 0,
    );
    expect(bench.connections).toBe(before + 2);
  }
});

test('a request keeps its connection longer than the idle timeout', async () => {
  const wire = wireTo(bench.kubeconfig.server, 100);
  let finish = () => {};
  bench.respond = ({ url }, response) => {
    if (url !== '/slow') {
      response.end('ok');
      return;
    }
    response.write('begun ');
    finish = () => response.end('and finished');
  };
  const slow = await wire.send(asking('/slow'));
  await bodyText(await wire.send(asking('/api')));
  await eventually(
    30,
    () => wire.connections,
    (open) => open === 1,
  );
  finish();
  expect(await bodyText(slow)).toBe('begun and finished');
});

test('a slow reader slows down the download', async () => {
  const wire = wireTo(bench.kubeconfig.server);
  const size = 64 * 1024 * 1024;
  let written = 0;
  bench.respond = ({ url }, response) => {
    if (url.includes('watch')) {
      response.end('watched');
      return;
    }
    const chunk = Buffer.alloc(64 * 1024);
    const fill = () => {
      while (written < size) {
        written += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', fill);
          return;
        }
      }
      response.end();
    };
    fill();
  };
  const { body } = await wire.send(asking('/api'));
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  // Client and server run in this process. So if a transfer makes no progress during many round trips of other
  // requests, all buffers are full and the transfer is blocked.
  for (let before = -1; before !== written; ) {
    before = written;
    for (let roundTrip = 0; roundTrip < 50; roundTrip++) await bodyText(await wire.send(asking('/api?watch=1')));
  }
  expect(written).toBeLessThan(size / 2);
  let read = 0;
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) break;
    read += next.value.length;
  }
  expect(read).toBeGreaterThan(size - 1024 * 1024);
});
