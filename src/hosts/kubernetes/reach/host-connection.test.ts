import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { namespaceKind } from '../../../api/core/namespace.ts';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import { httpClient } from '../../../client/http-client.ts';
import { systemClock } from '../../../lib/clock.ts';
import { bodyText, statusErrorOf, testApiRequest } from '../observe/api-request.fixture.ts';
import { ApiServerTestEnv, testKeyPairs } from './api-server.fixture.ts';
import { connectToHost, type HostConnection, type HostConnectionOptions } from './host-connection.ts';

let bench: ApiServerTestEnv;
const open: HostConnection[] = [];

beforeEach(async () => {
  bench = await ApiServerTestEnv.start();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  await bench.close();
});

function connect(more: Partial<Kubeconfig> = {}, options: Partial<HostConnectionOptions> = {}): HostConnection {
  const connection = connectToHost({ ...bench.kubeconfig, ...more }, { clock: systemClock, ...options });
  open.push(connection);
  return connection;
}

test('a request impersonates its user with groups, uid and extras', async () => {
  const as = { name: 'jane', uid: 'u-1', groups: ['devs', 'ops'], extra: { 'example.com/Scope%': ['a', 'b'] } };
  const answer = await connect({ token: 'sesame' }).api.send(testApiRequest({ as, path: '/api/v1/pods?limit=1' }));
  expect(answer.status).toBe(200);
  expect(await bodyText(answer)).toBe('{}');
  expect(bench.last.url).toBe('/api/v1/pods?limit=1');
  expect(bench.last.headers).toMatchObject({
    authorization: 'Bearer sesame',
    'impersonate-user': 'jane',
    'impersonate-uid': 'u-1',
  });
  const lines = bench.last.rawHeaders.map((line, at) =>
    at % 2 === 0 ? `${line}=${bench.last.rawHeaders[at + 1]}` : '',
  );
  expect(lines).toEqual(expect.arrayContaining(['impersonate-group=devs', 'impersonate-group=ops']));
  expect(lines).toEqual(
    expect.arrayContaining([
      'impersonate-extra-example.com%2fScope%25=a',
      'impersonate-extra-example.com%2fScope%25=b',
    ]),
  );
});

test('a name outside of Latin-1 arrives in UTF-8', async () => {
  await bodyText(await connect().api.send(testApiRequest({ as: { name: 'Łucja', groups: [] } })));
  expect(Buffer.from(String(bench.last.headers['impersonate-user']), 'latin1').toString('utf8')).toBe('Łucja');
});

test.each([
  ['', []],
  [' jane', []],
  ['jane ', []],
  ['ja\nne', []],
  ['jane\u00a0', []],
  ['jane', ['']],
  ['jane', ['a\r\nimpersonate-group: system:masters']],
])('a name that would change on the way is rejected (%j, %j)', async (name, groups) => {
  expect((await statusErrorOf(connect().api.send(testApiRequest({ as: { name, groups } })))).code).toBe(400);
  expect(bench.seen).toEqual([]);
});

test('credentials, client addresses and hop-by-hop headers are not forwarded', async () => {
  const headers = {
    authorization: 'Bearer stolen',
    cookie: 'session=1',
    connection: 'keep-alive, x-secret',
    'x-secret': '1',
    'keep-alive': 'timeout=5',
    te: 'trailers',
    'proxy-authorization': 'Basic x',
    'impersonate-user': 'system:admin',
    'impersonate-group': 'system:masters',
    'impersonate-extra-a': 'b',
    'x-remote-user': 'admin',
    'x-forwarded-for': '10.0.0.1',
    forwarded: 'for=10.0.0.1',
    expect: '100-continue',
    host: 'elsewhere',
    accept: 'application/json',
    'user-agent': 'kubectl',
    'content-type': 'application/json',
  };
  await bodyText(await connect({ token: 'sesame' }).api.send(testApiRequest({ headers })));
  expect(Object.keys(bench.last.headers).sort()).toEqual([
    'accept',
    'authorization',
    'connection',
    'content-type',
    'host',
    'impersonate-group',
    'impersonate-user',
    'user-agent',
  ]);
  expect(bench.last.headers).toMatchObject({
    authorization: 'Bearer sesame',
    'impersonate-user': 'jane',
    'impersonate-group': 'devs, system:authenticated',
    host: `127.0.0.1:${bench.port}`,
  });
});

test('a response loses cookies and hop-by-hop headers, and its bytes are unchanged', async () => {
  bench.respond = (_, response) => {
    response.writeHead(201, [
      ['set-cookie', 'session=stolen'],
      ['content-type', 'text/plain'],
      ['warning', '299 - "one"'],
      ['warning', '299 - "two"'],
      ['content-encoding', 'gzip'],
    ] as never);
    response.end('not gzip at all');
  };
  const answer = await connect().api.send(testApiRequest());
  expect(answer.status).toBe(201);
  expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', warning: ['299 - "one"', '299 - "two"'] });
  for (const name of ['set-cookie', 'connection', 'keep-alive', 'transfer-encoding']) {
    expect(answer.headers).not.toHaveProperty(name);
  }
  expect(await bodyText(answer)).toBe('not gzip at all');
});

test('a client certificate is presented with impersonation and never with a token of the cluster itself', async () => {
  const { client } = await testKeyPairs();
  const { api, own } = connect({ clientCertificate: client.cert, clientKey: client.key });
  await bodyText(await api.send(testApiRequest()));
  expect(bench.last).toMatchObject({ certificate: 'client', headers: { 'impersonate-user': 'jane' } });
  await bodyText(await own.send(testApiRequest()));
  expect(bench.last.certificate).toBe('client');
  expect(bench.last.headers).not.toHaveProperty('impersonate-user');
  await bodyText(await api.send(testApiRequest({ as: { token: 'of-the-account' } })));
  expect(bench.last).toMatchObject({ certificate: '', headers: { authorization: 'Bearer of-the-account' } });
  expect(bench.last.headers).not.toHaveProperty('impersonate-user');
});

test('a user name and password become basic authentication', async () => {
  await bodyText(await connect({ username: 'ada', password: 'p:w' }).own.send(testApiRequest()));
  expect(bench.last.headers.authorization).toBe(`Basic ${Buffer.from('ada:p:w').toString('base64')}`);
});

test('a server with a root path gets requests below that path only', async () => {
  const { api } = connect({ server: `${bench.kubeconfig.server}/k8s/clusters/a` });
  await bodyText(await api.send(testApiRequest({ path: '/api/v1/nodes' })));
  expect(bench.last.url).toBe('/k8s/clusters/a/api/v1/nodes');
  for (const path of ['/../b/api', '/api/%2e%2e/%2E./b', '/./api', 'api', '/api/..', '/a\\..\\b', '/a b', '/a#b']) {
    expect((await statusErrorOf(api.send(testApiRequest({ path })))).code).toBe(400);
  }
  expect(bench.seen).toHaveLength(1);
});

test('request bodies of any length are streamed', async () => {
  const { api } = connect();
  async function* body(chunks: number) {
    for (let at = 0; at < chunks; at++) yield Buffer.alloc(10_000, 'x');
  }
  const length = (chunks: number) => ({ 'content-length': String(chunks * 10_000) });
  for (const [chunks, headers] of [
    [1, length(1)],
    [30, length(30)],
    [30, {}],
  ] as const) {
    await bodyText(await api.send(testApiRequest({ method: 'POST', body: body(chunks), headers })));
    expect(bench.last.body.length).toBe(chunks * 10_000);
  }
});

test('the signal aborts a waiting request and a streaming response', async () => {
  const { api } = connect();
  bench.respond = () => {};
  const waiting = new AbortController();
  const sent = api.send(testApiRequest({ signal: waiting.signal }));
  waiting.abort(new Error('enough'));
  await expect(sent).rejects.toThrow('enough');

  bench.respond = (_, response) => response.write('one');
  const lasting = new AbortController();
  const answer = await api.send(testApiRequest({ signal: lasting.signal, path: '/api/v1/pods?watch=true' }));
  const chunks = answer.body[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe('one');
  lasting.abort(new Error('over'));
  await expect(chunks.next()).rejects.toThrow('over');
});

test('a reader that stops early aborts the response', async () => {
  let ended: Promise<unknown> = Promise.reject(new Error('not asked'));
  ended.catch(() => {});
  bench.respond = (_, response) => {
    ended = once(response, 'close');
    response.write('one');
  };
  for await (const _ of (await connect().api.send(testApiRequest())).body) break;
  await ended;
});

test('an upgraded connection carries bytes in both directions, and a declined upgrade is a response', async () => {
  const { api } = connect({ token: 'sesame' });
  const headers = {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': 'v4.channel.k8s.io',
    'sec-websocket-protocol': 'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0',
  };
  bench.onUpgrade = (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello');
    socket.pipe(socket);
  };
  const upgraded = await api.upgrade(
    testApiRequest({ method: 'POST', path: '/api/v1/namespaces/a/pods/b/exec?command=ls', headers }),
  );
  if (!('socket' in upgraded)) throw new Error('no upgrade');
  expect(upgraded).toMatchObject({ status: 101, headers: { upgrade: 'SPDY/3.1', connection: 'Upgrade' } });
  expect(bench.last).toMatchObject({
    method: 'POST',
    headers: {
      authorization: 'Bearer sesame',
      'impersonate-user': 'jane',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
    },
  });
  upgraded.socket.write(' world');
  let text = '';
  for await (const chunk of upgraded.socket) {
    text += String(chunk);
    if (text === 'hello world') break;
  }

  bench.onUpgrade = (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  const refused = await api.upgrade(testApiRequest({ headers }));
  if (!('body' in refused)) throw new Error('an upgrade');
  expect([refused.status, await bodyText(refused)]).toEqual([403, 'no']);
  expect((await statusErrorOf(api.upgrade(testApiRequest()))).code).toBe(400);
});

test('the signal closes an upgraded connection', async () => {
  bench.onUpgrade = (_, socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  const ending = new AbortController();
  const upgraded = await connect().api.upgrade(testApiRequest({ headers: { upgrade: 'x' }, signal: ending.signal }));
  if (!('socket' in upgraded)) throw new Error('no upgrade');
  const closed = once(upgraded.socket, 'close');
  ending.abort();
  await closed;
});

test('the typed client works over a host connection', async () => {
  bench.respond = ({ method, url, body }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(method === 'POST' ? body : JSON.stringify({ metadata: { name: url } }));
  };
  const { fetch } = connect({ token: 'sesame' });
  const namespaces = httpClient({ server: '', fetch }).resource(namespaceKind);
  expect((await namespaces.get({ name: 'a' })).metadata.name).toBe('/api/v1/namespaces/a');
  const made = await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ü' } });
  expect(made.metadata.name).toBe('ü');
  expect(bench.last.headers).toMatchObject({ authorization: 'Bearer sesame', 'content-type': 'application/json' });
});
