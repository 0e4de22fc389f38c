import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';
import { served } from '../../../test/harness/widget-plane.ts';
import { expired } from '../../api/status.ts';
import type { WatchEvent } from '../../registry/verbs.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';

let server: TestHttpServer;
beforeEach(async () => {
  server = await TestHttpServer.start();
});
afterEach(() => server.stop());

const added = (name: string): WatchEvent => ({ type: 'ADDED', object: served(server.plane.put('a', name)) });

async function linesOf(path: string, accept = 'application/json'): Promise<{ lines: string[]; status: number }> {
  const response = await server.raw('GET', path, { headers: { accept } });
  const text = await response.body.text();
  return { status: response.statusCode, lines: text.split('\n').slice(0, -1) };
}

describe('a watch', () => {
  it.each([false, true])('starts its response before the first event exists, HTTP/2: %s (WATCH-01)', async (http2) => {
    const response = await server.raw('GET', `${widgets}?watch=1`, { http2 });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.headers['content-length']).toBeUndefined();
    server.plane.events.end();
    expect(await response.body.text()).toBe('');
  });

  it('sends one line of JSON per event, as it happens (WATCH-02 to WATCH-04)', async () => {
    const response = await server.raw('GET', `${widgets}?watch=true`);
    const reader = response.body[Symbol.asyncIterator]();
    server.plane.events.push(added('x'));
    const first = String((await reader.next()).value);
    expect(first.endsWith('\n')).toBe(true);
    expect(JSON.parse(first)).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name: 'x', resourceVersion: '11' } },
    });
    server.plane.events.push({ type: 'BOOKMARK', resourceVersion: '15', initialEventsEnd: true });
    expect(JSON.parse(String((await reader.next()).value))).toEqual({
      type: 'BOOKMARK',
      object: {
        apiVersion: 'example.dev/v1',
        kind: 'Widget',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' }, resourceVersion: '15' },
      },
    });
    server.plane.events.end();
    expect((await reader.next()).done).toBe(true);
  });

  it.each([false, true])(
    'sends a burst in order, each event complete and once, HTTP/2: %s (WATCH-24)',
    async (http2) => {
      const names = Array.from({ length: 500 }, (_, number) => `w${number}-${'x'.repeat(number)}`);
      const response = await server.raw('GET', `${widgets}?watch=1`, { http2 });
      const text = response.body.text();
      for (const name of names) server.plane.events.push(added(name));
      server.plane.events.end();
      const lines = (await text).split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).object.metadata.name)).toEqual(names);
    },
  );

  it('reports an error in its last event (WATCH-17, WATCH-36)', async () => {
    server.plane.events.push(added('x'));
    server.plane.events.end(expired('too old resource version: 1 (2)'));
    const { status, lines } = await linesOf(`${widgets}?watch=1`);
    expect(status).toBe(200);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', apiVersion: 'v1', reason: 'Expired', code: 410 },
    });
  });

  it('does not reveal internal errors', async () => {
    server.plane.events.end(new Error('secret detail'));
    const { lines } = await linesOf(`${widgets}?watch=1`);
    expect(lines[0]).toContain('InternalError');
    expect(lines[0]).not.toContain('secret');
  });

  it('as Table has columns in its first event only; bookmarks are Tables, errors are not (WATCH-30)', async () => {
    server.plane.events.push(added('x'));
    server.plane.events.push(added('y'));
    server.plane.events.push({ type: 'BOOKMARK', resourceVersion: '15', initialEventsEnd: false });
    server.plane.events.push({ type: 'ERROR', status: expired('gone').status });
    server.plane.events.end();
    const { lines } = await linesOf(`${widgets}?watch=1`, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    const [first, second, bookmark, error] = lines.map((line) => JSON.parse(line).object);
    expect(first).toMatchObject({ kind: 'Table', rows: [{ cells: ['x', null, null] }] });
    expect(first.columnDefinitions).toHaveLength(3);
    expect(second.columnDefinitions).toBeNull();
    expect(second.rows[0].object.metadata.name).toBe('y');
    expect(bookmark.rows[0].object.metadata.resourceVersion).toBe('15');
    expect(error.kind).toBe('Status');
  });

  it('as Table without objects still has the resourceVersion in a bookmark (WATCH-30, TABLE-07)', async () => {
    server.plane.events.push(added('x'));
    server.plane.events.push({ type: 'BOOKMARK', resourceVersion: '15', initialEventsEnd: true });
    server.plane.events.end();
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { lines } = await linesOf(`${widgets}?watch=1&includeObject=None`, table);
    const [first, bookmark] = lines.map((line) => JSON.parse(line).object);
    expect(first.rows[0]).not.toHaveProperty('object');
    expect(bookmark.rows[0].object.metadata).toEqual({
      annotations: { 'k8s.io/initial-events-end': 'true' },
      resourceVersion: '15',
    });
  });

  it('as PartialObjectMetadata has only metadata; the list form is rejected (WATCH-31)', async () => {
    server.plane.events.push(added('x'));
    server.plane.events.end();
    const accept = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
    const { lines } = await linesOf(`${widgets}?watch=1`, accept('PartialObjectMetadata'));
    expect(JSON.parse(lines[0] ?? '').object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'x' } });
    expect((await linesOf(`${widgets}?watch=1`, accept('PartialObjectMetadataList'))).status).toBe(406);
  });

  it('cannot be YAML (NEG-12)', async () => {
    const { status, json } = await server.request('GET', `${widgets}?watch=1`, {
      headers: { accept: 'application/yaml' },
    });
    expect([status, json]).toEqual([406, undefined]);
  });

  it('ends after timeoutSeconds, by default after a random time between 30 and 60 minutes (WATCH-16, REQ-17)', async () => {
    server.plane.events.end();
    await linesOf(`${widgets}?watch=1&timeoutSeconds=7&timeout=nonsense`);
    await linesOf(`${widgets}?watch=1`);
    const times = server.plane.calls.map(
      (call) => (call.options as { timeoutMilliseconds: number }).timeoutMilliseconds,
    );
    expect(times[0]).toBe(7000);
    expect(times[1]).toBeGreaterThanOrEqual(1_800_000);
    expect(times[1]).toBeLessThanOrEqual(3_600_000);
  });

  it('has a legacy path with its own prefix, restricted to the name in the path (REQ-07, SEL-12)', async () => {
    server.plane.events.end();
    expect((await linesOf('/apis/example.dev/v1/watch/namespaces/a/widgets/x')).status).toBe(200);
    const options = server.plane.calls[0]?.options as unknown as { fieldSelector: { requirements: object[] } };
    expect(options.fieldSelector.requirements).toEqual([{ field: 'metadata.name', operator: '=', value: 'x' }]);
    const wrong = await server.request(
      'GET',
      '/apis/example.dev/v1/watch/namespaces/a/widgets/x?fieldSelector=metadata.name%3Dy',
    );
    expect([wrong.status, wrong.json.message]).toEqual([
      400,
      "fieldSelector metadata.name doesn't match requested name",
    ]);
    expect(
      (await server.request('POST', '/apis/example.dev/v1/watch/namespaces/a/widgets', { body: '{}' })).status,
    ).toBe(405);
  });
});

describe('a watch ends', () => {
  it.each([false, true])('when its client disconnects, HTTP/2: %s', async (http2) => {
    const response = await server.raw('GET', `${widgets}?watch=1`, { http2 });
    response.body.on('error', () => {});
    response.body.destroy();
    await server.plane.watchEnded;
  });

  it('when the identity of its caller ends', async () => {
    const response = await server.raw('GET', `${widgets}?watch=1`);
    server.sessions.get('admin')?.abort();
    await server.plane.watchEnded;
    expect(await response.body.text()).toBe('');
  });

  it.each([{}, { 'impersonate-user': 'bob' }])(
    'with an error event when the permissions of the caller or the impersonated user change; headers %j',
    async (headers) => {
      const rights = new AbortController();
      const asked: (string | undefined)[] = [];
      server.rights = (as) => {
        asked.push(as?.name);
        return as === undefined && 'impersonate-user' in headers ? new AbortController().signal : rights.signal;
      };
      const response = await server.raw('GET', `${widgets}?watch=1`, { headers });
      expect(asked).toEqual('impersonate-user' in headers ? [undefined, 'bob'] : [undefined]);
      rights.abort(expired('list again'));
      expect(JSON.parse(await response.body.text())).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'list again' },
      });
      await server.request('GET', widgets);
      expect(asked).toHaveLength('impersonate-user' in headers ? 2 : 1);
    },
  );

  it('cleanly on a drain, over HTTP/1.1 and HTTP/2 (WATCH-33)', async () => {
    const first = await server.raw('GET', `${widgets}?watch=1`);
    const session = connect(server.origin, { ca: server.certificate.cert });
    const path = `/kubernetes/management${widgets}?watch=1`;
    const second = session.request({ ':path': path, authorization: 'Bearer admin-token' });
    await once(second, 'response');
    const goneAway = once(session, 'goaway');
    const ended = once(second.resume(), 'end');
    const drained = server.listener.drain(5000);
    expect(await first.body.text()).toBe('');
    await ended;
    expect((await goneAway)[0]).toBe(0);
    await drained;
  });
});

describe('a WebSocket watch (WATCH-29)', () => {
  const open = (path: string, protocols: string[] = [], headers: Record<string, string> = {}) =>
    new WebSocket(`wss://127.0.0.1:${server.listener.port}/kubernetes/management${path}`, protocols, {
      ca: server.certificate.cert,
      headers,
    });
  const admin = { authorization: 'Bearer admin-token' };

  it('sends each event of a burst as a separate frame, in order', async () => {
    const socket = open(`${widgets}?watch=1`, [], admin);
    await once(socket, 'open');
    const names: string[] = [];
    socket.on('message', (data, isBinary) =>
      names.push(`${JSON.parse(String(data)).object.metadata.name} ${isBinary}`),
    );
    for (let number = 0; number < 100; number++) server.plane.events.push(added(`w${number}`));
    server.plane.events.end();
    await once(socket, 'close');
    expect(names).toEqual(Array.from({ length: 100 }, (_, number) => `w${number} false`));
  });

  it('sends each event as one text frame and closes normally', async () => {
    server.plane.events.push(added('x'));
    server.plane.events.push(added('y'));
    const socket = open(`${widgets}?watch=1`, [], admin);
    const frames: string[] = [];
    socket.on('message', (data, isBinary) => {
      expect(isBinary).toBe(false);
      frames.push(String(data));
      socket.send('ignored');
      if (frames.length === 2) server.plane.events.end();
    });
    const [code] = await once(socket, 'close');
    expect(code).toBe(1000);
    expect(frames.map((frame) => JSON.parse(frame).object.metadata.name)).toEqual(['x', 'y']);
  });

  it('accepts its token from a subprotocol, which it does not select', async () => {
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from('admin-token').toString('base64url')}`;
    const socket = open(`${widgets}?watch=1`, [bearer, 'v4.channel.k8s.io']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('v4.channel.k8s.io');
    server.plane.events.end();
    await once(socket, 'close');
  });

  it('gets a plain response if the reply is not a stream', async () => {
    for (const [path, headers, status] of [
      [`${widgets}?watch=1`, {}, 401],
      [widgets, admin, 200],
      ['/apis/none/v1/x?watch=1', admin, 404],
    ] as const) {
      const socket = open(path, [], headers);
      socket.on('error', () => {});
      const [, response] = await once(socket, 'unexpected-response');
      expect(response.statusCode).toBe(status);
      expect(response.headers['audit-id']).toBeTruthy();
      let text = '';
      for await (const chunk of response) text += chunk;
      expect(JSON.parse(text).kind).toBe(status === 200 ? 'WidgetList' : 'Status');
      socket.terminate();
    }
  });

  it('answers the latest ping, but not each of thousands that arrive together', async () => {
    const socket = open(`${widgets}?watch=1`, [], admin);
    await once(socket, 'open');
    const pongs: string[] = [];
    socket.on('pong', (data) => pongs.push(String(data)));
    for (let number = 0; number < 5_000; number++) socket.ping(String(number));
    await expect.poll(() => pongs.at(-1)).toBe('4999');
    expect(pongs.length).toBeLessThan(2_500);
    socket.close();
    await server.plane.watchEnded;
  });

  it('ends when the client closes', async () => {
    const socket = open(`${widgets}?watch=1`, [], admin);
    await once(socket, 'open');
    socket.close();
    await server.plane.watchEnded;
  });
});

it('one HTTP/2 connection serves hundreds of watches and pings (CLIENT-20)', async () => {
  const session = connect(server.origin, { ca: server.certificate.cert });
  await once(session, 'remoteSettings');
  expect(session.remoteSettings.maxConcurrentStreams).toBeGreaterThanOrEqual(250);
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const stream = session.request({
        ':path': `/kubernetes/management${widgets}?watch=1`,
        authorization: 'Bearer admin-token',
      });
      const [headers] = await once(stream, 'response');
      return headers[':status'];
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  await new Promise<void>((resolve, reject) => session.ping((error) => (error === null ? resolve() : reject(error))));
});
