import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FetchedResponse, type HttpRequest, sendRequest } from '../../../src/client/send-request.ts';
import { ManualClock } from '../../../src/lib/clock.ts';
import { LogStream, type LogStreamOptions } from './log-stream.ts';

const time = (second: number, fraction = 0) =>
  `2026-01-01T00:00:${String(second).padStart(2, '0')}.${String(fraction).padStart(9, '0')}Z`;

let server: Server;
let requests: URL[];
let respond: (response: ServerResponse, url: URL) => void;
let clock: ManualClock;
beforeEach(async () => {
  requests = [];
  clock = new ManualClock();
  server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '', 'http://here');
    requests.push(url);
    respond(response, url);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

const sender = {
  fetch: async (url: string, init: RequestInit) => (await fetch(url, init)) as unknown as FetchedResponse,
};

function openStream(options: Partial<LogStreamOptions> = {}) {
  const { port } = server.address() as AddressInfo;
  const stream = new LogStream({
    url: '/log?container=web',
    follow: true,
    previous: false,
    tailLines: 100,
    clock,
    send: (request: HttpRequest) => sendRequest(sender, { ...request, url: `http://127.0.0.1:${port}${request.url}` }),
    ...options,
  });
  const stop = stream.subscribe(() => {});
  const lines = () => stream.get().chunks.flatMap((chunk) => chunk.lines.map(({ text }) => text));
  /** Waits for a state of the stream and advances the clock meanwhile. */
  const until = (holds: () => boolean) =>
    expect
      .poll(
        () => {
          clock.advance(200);
          return holds();
        },
        { timeout: 10_000, interval: 20 },
      )
      .toBe(true);
  return { stream, stop, lines, until };
}

describe('the log of a container', () => {
  it('continues after a lost connection, without lost or repeated lines', async () => {
    respond = (response, url) => {
      if (url.searchParams.get('sinceTime') === null) {
        response.write(`${time(1)} one\n${time(2, 5)} two\n${time(2, 5)} three\n`, () => response.destroy());
      } else {
        // Kubernetes resumes a log only at whole seconds, so the response repeats some lines.
        response.end(
          `${time(2, 4)} before\n${time(2, 5)} two\n${time(2, 5)} three\n${time(2, 5)} four\n${time(3)} five\n`,
        );
      }
    };
    const { stream, stop, lines, until } = openStream();
    await until(() => stream.get().state === 'interrupted');
    expect(lines()).toEqual(['one', 'two', 'three']);
    await until(() => stream.get().state === 'ended');
    expect(lines()).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(requests.map((url) => url.searchParams.get('sinceTime'))).toEqual([null, time(2, 5)]);
    expect(Object.fromEntries(requests[0]?.searchParams ?? [])).toEqual({
      container: 'web',
      timestamps: 'true',
      follow: 'true',
      tailLines: '100',
    });
    stop();
  });

  it('ends with the error of the server, and is not requested again', async () => {
    respond = (response) => {
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 403, message: 'no' };
      response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    };
    const { stream, stop, until } = openStream({ previous: true, follow: false });
    await until(() => stream.get().state === 'refused');
    expect(String(stream.get().error)).toContain('no');
    expect(requests[0]?.searchParams.get('previous')).toBe('true');
    clock.advance(60_000);
    expect(requests).toHaveLength(1);
    stop();
  });

  it('is aborted when its last subscriber leaves', async () => {
    const closed = new Promise<void>((resolve) => {
      respond = (response) => {
        response.write(`${time(1)} one\n`);
        response.once('close', () => resolve());
      };
    });
    const { lines, stop, until } = openStream();
    await until(() => lines().length === 1);
    stop();
    await closed;
  });
});
