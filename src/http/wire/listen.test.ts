import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../test/harness/self-signed.ts';
import { testCertificate } from '../../../test/harness/test-http-server.ts';
import { silentLog } from '../../lib/log.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { type Listener, type ListenOptions, listen } from './listen.ts';
import { readBody } from './read-body.ts';

const certificate = await testCertificate();
const agents: Agent[] = [];
let listener: Listener;

afterEach(async () => {
  await listener.drain(500);
  await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
});

async function start(handler: (request: IncomingRequest) => Promise<Reply>, limits: ListenOptions['limits'] = {}) {
  listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log: silentLog, limits });
  return listener;
}

function call(
  path: string,
  options: { http2?: boolean; method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const agent = new Agent({ connect: { ca: certificate.cert }, allowH2: options.http2 === true });
  agents.push(agent);
  return request(`https://127.0.0.1:${listener.port}${path}`, {
    dispatcher: agent,
    method: (options.method ?? 'GET') as never,
    headers: options.headers ?? {},
    ...(options.body === undefined ? {} : { body: options.body }),
  });
}

/** Resolves when the number that `read` returns has not changed for a thousand ticks. */
async function standsStill(read: () => number): Promise<void> {
  let last = 0;
  for (let turns = 0; turns < 1000 || last === 0; turns++) {
    if (read() !== last) turns = 0;
    last = read();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends bytes over TLS and returns everything received until the server closes. */
async function sendRaw(text: string): Promise<string> {
  const socket = connectTls({
    port: listener.port,
    host: '127.0.0.1',
    ca: certificate.cert,
    ALPNProtocols: ['http/1.1'],
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk));
  await once(socket, 'close');
  return answer;
}

/** Starts a POST, reads the response, and keeps the connection open until the returned function is called. */
async function postOverHttp1(): Promise<() => void> {
  const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: certificate.cert });
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await once(socket, 'data');
  return () => socket.destroy();
}

async function postOverHttp2(): Promise<() => void> {
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
  const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
  stream.write('{');
  await once(stream, 'response');
  return () => {
    stream.resume();
    session.close();
  };
}

async function expectOverHttp2(): Promise<string> {
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
  let text = '';
  for await (const chunk of session.request({ ':path': '/', expect: 'it' })) text += chunk;
  session.close();
  return text;
}

const hello = async (): Promise<Reply> => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' });

/** The kernel delays acknowledgments by 40 ms. */
const delayedAcknowledgement = 35;

describe('requests and responses', () => {
  it('the first response on a connection does not wait until earlier data is acknowledged', async () => {
    await start(async () => {
      // Respond after the handshake. Otherwise, the end of the handshake and the response share a packet.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      return { status: 200, headers: {}, body: 'hello' };
    });
    const times: number[] = [];
    // One fast response is enough for the test, because a busy machine delays many responses.
    while (times.length < 200 && Math.min(...times) >= delayedAcknowledgement) {
      const started = performance.now();
      await (await call('/')).body.text();
      times.push(performance.now() - started);
    }
    expect(Math.min(...times)).toBeLessThan(delayedAcknowledgement);
  });

  it.each([false, true])('a read of the body ends with the response, HTTP/2: %s', async (http2) => {
    let reading: Promise<unknown> = Promise.resolve();
    await start(async (incoming) => {
      reading = Promise.resolve(readBody({ request: incoming }));
      reading.catch(() => {});
      return { status: 504, headers: {}, body: 'enough' };
    });
    const end = await (http2 ? postOverHttp2() : postOverHttp1());
    await expect(reading).rejects.toMatchObject({ code: 400 });
    end();
  });

  it('an HTTP/2 request with a long unread body ends with its response', async () => {
    await start(async () => ({ status: 403, headers: {}, body: 'no' }));
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    let text = '';
    stream.on('data', (piece) => {
      text += piece;
    });
    // More bytes than the flow-control window allows if the server does not read.
    stream.end(Buffer.alloc(1_000_000));
    await once(stream, 'close');
    expect(text).toBe('no');
    session.close();
  });

  it.each([false, true])('an unknown Expect header is rejected with a Status, HTTP/2: %s', async (http2) => {
    await start(hello);
    const text = http2
      ? await expectOverHttp2()
      : await sendRaw('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: it\r\n\r\n');
    expect(text).toContain('"message":"the server does not support the expectation \\"it\\""');
    expect(text).toContain('"code":417');
  });

  it.each([false, true])(
    'requests and responses are the same over HTTP/1.1 and HTTP/2, HTTP/2: %s (HDR-09)',
    async (http2) => {
      let seen: IncomingRequest | undefined;
      let body = '';
      await start(async (incoming) => {
        seen = incoming;
        body = Buffer.from(await readBody({ request: incoming })).toString();
        return { status: 201, headers: { 'x-test': ['a', 'b'] }, body: 'größe' };
      });
      const response = await call('/path%2F?a=b', {
        http2,
        method: 'POST',
        headers: { 'x-sent': 'here' },
        body: 'sent',
      });
      expect(response.statusCode).toBe(201);
      expect(response.headers['content-length']).toBe('7');
      expect([response.headers['x-test']].flat().join(', ')).toBe('a, b');
      expect(await response.body.text()).toBe('größe');
      expect(seen).toMatchObject({
        method: 'POST',
        url: '/path%2F?a=b',
        httpVersion: http2 ? '2' : '1.1',
        remoteAddress: '127.0.0.1',
        webSocket: false,
      });
      expect(seen?.headers['x-sent']).toBe('here');
      expect(Object.keys(seen?.headers ?? {}).filter((name) => name.startsWith(':'))).toEqual([]);
      expect(body).toBe('sent');
    },
  );

  it('responses above 128 KiB are compressed if the client accepts it (NEG-20)', async () => {
    const big = 'x'.repeat(128 * 1024 + 1);
    await start(async ({ url }) => ({ status: 200, headers: {}, body: url === '/big' ? big : big.slice(1) }));
    const packed = await call('/big', { headers: { 'accept-encoding': 'deflate, gzip' } });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const bytes = Buffer.from(await packed.body.arrayBuffer());
    expect(Number(packed.headers['content-length'])).toBe(bytes.length);
    expect(gunzipSync(bytes).toString()).toBe(big);
    for (const [path, encoding] of [
      ['/big', 'identity'],
      ['/big', 'gzip;q=0'],
      ['/big', 'xgzip'],
      ['/small', 'gzip'],
    ] as const) {
      const plain = await call(path, { headers: { 'accept-encoding': encoding } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      await plain.body.dump();
    }
  });

  it.each([false, true])('a HEAD response has no body, HTTP/2: %s (REQ-25)', async (http2) => {
    await start(hello);
    const response = await call('/', { method: 'HEAD', http2 });
    expect(response.headers['content-length']).toBe('5');
    expect(await response.body.text()).toBe('');
  });

  it('an unknown error becomes a 500 without details', async () => {
    await start(() => Promise.reject(new Error('secret')));
    const response = await call('/');
    expect(response.statusCode).toBe(500);
    expect(await response.body.text()).not.toContain('secret');
  });

  it('an absolute request URL is served by its path', async () => {
    await start(async ({ url }) => ({ status: 200, headers: {}, body: url }));
    const answer = await sendRaw('GET https://other/a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/\r\n\r\n\/a\?b$/);
  });
});

describe('streams', () => {
  it.each([false, true])('a stream is never written faster than it is read, HTTP/2: %s', async (http2) => {
    let made = 0;
    const line = `${'x'.repeat(64 * 1024)}\n`;
    async function* endless() {
      for (;;) {
        made++;
        yield line;
      }
    }
    let over: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (over = resolve));
    await start(async ({ signal }) => {
      signal.addEventListener('abort', () => over?.());
      return { status: 200, headers: {}, body: endless() };
    });
    const session = http2 ? connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert }) : undefined;
    const stream = session?.request({ ':path': '/' }) ?? (await call('/')).body;
    stream.on('error', () => {});
    await standsStill(() => made);
    // The upper limit is what the kernel, TLS and the buffers can contain. An unbounded writer would produce gigabytes
    // in this time.
    expect(made).toBeGreaterThan(0);
    expect(made * line.length).toBeLessThan(64 * 1024 * 1024);
    stream.destroy();
    await ended;
    session?.close();
  });

  it('a client that reads nothing for too long is disconnected', async () => {
    async function* endless() {
      for (;;) yield 'x'.repeat(64 * 1024);
    }
    let over: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (over = resolve));
    await start(
      async ({ signal }) => {
        signal.addEventListener('abort', () => over?.());
        return { status: 200, headers: {}, body: endless() };
      },
      { stallMilliseconds: 50 },
    );
    const response = await call('/');
    response.body.on('error', () => {});
    await ended;
  });

  it('unread long responses do not block other streams of their session', async () => {
    const big = 'x'.repeat(16_000_000);
    await start(async ({ url }) => ({ status: 200, headers: {}, body: url === '/big' ? big : 'small' }));
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    const unread = Array.from({ length: 3 }, () => session.request({ ':path': '/big' }));
    await Promise.all(unread.map((stream) => once(stream, 'response')));
    const stream = session.request({ ':path': '/small' });
    stream.setEncoding('utf8');
    let text = '';
    for await (const chunk of stream) text += chunk;
    expect(text).toBe('small');
    // Read everything before the end: Node's HTTP/2 client corrupts its own memory if it is destroyed earlier.
    for (const long of unread) {
      let length = 0;
      for await (const chunk of long) length += chunk.length;
      expect(length).toBe(big.length);
    }
    session.close();
  });

  it('a stream that throws ends the connection, not the server', async () => {
    // biome-ignore lint/correctness/useYield: it throws before the first line.
    async function* broken(): AsyncGenerator<string> {
      throw new Error('broken');
    }
    await start(async ({ url }) => (url === '/' ? { status: 200, headers: {}, body: broken() } : hello()));
    const response = await call('/');
    await expect(response.body.text()).rejects.toThrow();
    expect((await call('/again')).statusCode).toBe(200);
  });
});

describe('an invalid request', () => {
  it('gets a Status with 431, 408 or 400, and the server continues', async () => {
    await start(hello, { headerBytes: 8192, headersMilliseconds: 100, checkMilliseconds: 50 });
    const big = await sendRaw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`);
    expect(big).toMatch(/^HTTP\/1\.1 431 [\s\S]*"kind":"Status"[\s\S]*"code":431/);
    const slow = await sendRaw('GET / HTTP/1.1\r\nHost: x\r\nX: ');
    expect(slow).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":408/);
    const garbage = await sendRaw('complete nonsense\r\n\r\n');
    expect(garbage).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":400/);
    const smuggled = await sendRaw(
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(smuggled).toMatch(/^HTTP\/1\.1 400 /);
    expect((await call('/')).statusCode).toBe(200);
  });

  it.each([
    ['1.1', 'missing required Host header', ''],
    ['1.1', 'too many Host headers', 'Host: x\r\nhost: x\r\n'],
    ['1.0', 'too many Host headers', 'Host: x\r\nHost: y\r\n'],
    ['1.1', 'malformed Host header', 'Host: a/b\r\n'],
    ['1.1', 'malformed Host header', 'Host: someone@x\r\n'],
    ['1.0', 'malformed Host header', 'Host: a b\r\n'],
  ])(
    'with an ambiguous host is rejected: HTTP/%s, %s; nothing after it is executed',
    async (version, message, hosts) => {
      let asked = 0;
      await start(async () => {
        asked++;
        return hello();
      });
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
      for (const [more, behind] of [
        ['', ''],
        [upgrade, ''],
        ['', upgrade],
      ]) {
        const second = `GET /second HTTP/1.1\r\nHost: x\r\n${behind}\r\n`;
        const answer = await sendRaw(`GET / HTTP/${version}\r\n${hosts}${more}\r\n${second}`);
        expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 400 [\\s\\S]*"message":"${message}"[\\s\\S]*"code":400`));
        expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      }
      expect(asked).toBe(0);
    },
  );

  it.each(['Host:', 'Host: [::1]:8443', 'Host: vc-1.example.test:443'])(
    'does not include requests with a valid host: %s',
    async (host) => {
      await start(hello);
      expect(await sendRaw(`GET / HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  const whole = 'POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n';
  const broken = 'POST /second HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
  it.each([
    ['garbage', `${whole}\r\n{}garbage\r\n\r\n`, ['200', '400']],
    ['a body that cannot be read', `${whole}\r\n{}${broken}`, ['200', '400']],
    ['more than it announced as its last', `${whole}Connection: close\r\n\r\n{}${broken}`, ['200']],
    ['more, in HTTP/1.0', `${whole.replace('1.1', '1.0')}\r\n{}${broken}`, ['200']],
  ])('is answered after the response to the request before it: %s', async (_what, sent, codes) => {
    const carriedOut: string[] = [];
    await start(async (request) => {
      for await (const _ of request.body);
      carriedOut.push(request.url);
      // By then, the server has read the remaining requests.
      await new Promise((resolve) => setImmediate(resolve));
      return hello();
    });
    const answers = [...(await sendRaw(sent)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code);
    expect(answers).toEqual(codes);
    expect(carriedOut).toEqual(['/first']);
  });

  it('a plain TCP connection is closed', async () => {
    await start(hello);
    const socket = connectTcp(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect((await call('/')).statusCode).toBe(200);
  });

  it('an HTTP/2 request with too large headers gets 431', async () => {
    await start(hello, { headerBytes: 8192 });
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    session.on('error', () => {});
    const stream = session.request({ ':path': '/', x: 'y'.repeat(20_000) });
    const status = await Promise.race([
      once(stream, 'response').then(([headers]) => headers[':status']),
      once(stream, 'error').then(() => 'reset'),
      once(session, 'close').then(() => 'closed'),
    ]);
    expect(status).not.toBe(200);
    session.close();
    expect((await call('/')).statusCode).toBe(200);
  });
});

describe('a client that disconnects', () => {
  it.each([false, true])('aborts the signal of its request, HTTP/2: %s', async (http2) => {
    let fired: (() => void) | undefined;
    let arrived: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (fired = resolve));
    const came = new Promise<void>((resolve) => (arrived = resolve));
    await start(async ({ signal }) => {
      arrived?.();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      fired?.();
      return hello();
    });
    const calling = call('/', { http2 }).catch(() => undefined);
    await came;
    await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
    await gone;
    await calling;
  });
});

describe('an HTTP/2 peer', () => {
  it('that acknowledges no ping is disconnected', async () => {
    await start(hello, { pingMilliseconds: 30 });
    const socket = connectTls({
      port: listener.port,
      host: '127.0.0.1',
      ca: certificate.cert,
      ALPNProtocols: ['h2'],
    });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), emptySettings]));
    socket.resume();
    await once(socket, 'close');
  });

  it('that acknowledges pings stays connected', async () => {
    await start(hello, { pingMilliseconds: 10 });
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    for (let pings = 0; pings < 5; pings++) await once(session, 'ping');
    const stream = session.request({ ':path': '/' });
    const [headers] = await once(stream, 'response');
    expect(headers[':status']).toBe(200);
    session.destroy();
  });
});

describe('drain', () => {
  it('a drain lets active requests finish, closes idle connections and accepts no new ones', async () => {
    let finish: (() => void) | undefined;
    let arrived: (() => void) | undefined;
    const came = new Promise<void>((resolve) => (arrived = resolve));
    await start(async ({ url, signal }) => {
      if (url === '/slow') {
        arrived?.();
        await new Promise<void>((resolve) => (finish = resolve));
        expect(signal.aborted).toBe(false);
      }
      return hello();
    });
    const idle = connectTls({ port: listener.port, host: '127.0.0.1', ca: certificate.cert });
    await once(idle, 'secureConnect');
    const idleClosed = once(idle, 'close');
    const slow = call('/slow');
    await came;
    const drained = listener.drain(5000);
    await idleClosed;
    await expect(call('/new')).rejects.toThrow();
    finish?.();
    const response = await slow;
    expect(response.headers.connection).toBe('close');
    expect(await response.body.text()).toBe('hello');
    await drained;
  });

  it('HTTP/2 requests finish after GOAWAY', async () => {
    let finish: (() => void) | undefined;
    await start(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return hello();
    });
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    const stream = session.request({ ':path': '/' });
    stream.setEncoding('utf8');
    let text = '';
    stream.on('data', (chunk) => (text += chunk));
    await once(session, 'remoteSettings');
    while (finish === undefined) await new Promise((resolve) => setImmediate(resolve));
    const goneAway = once(session, 'goaway');
    const drained = listener.drain(5000);
    await goneAway;
    finish();
    await once(stream, 'end');
    expect(text).toBe('hello');
    await drained;
  });

  it('a drain keeps the process alive until it is complete', async () => {
    // Counts the timers that keep the event loop alive.
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await start(() => new Promise<Reply>(() => {}));
    const stuck = call('/').catch(() => {});
    await standsStill(() => 1);
    const before = timers();
    const drained = listener.drain(200);
    expect(timers()).toBeGreaterThan(before);
    await drained;
    await stuck;
  });

  it('requests that do not finish within the timeout are disconnected', async () => {
    await start(() => new Promise<Reply>(() => {}));
    const stuck = call('/').catch((error: Error) => error);
    const handshaking = connectTcp(listener.port, '127.0.0.1');
    handshaking.on('error', () => {});
    await once(handshaking, 'connect');
    const started = Date.now();
    await listener.drain(200);
    expect(Date.now() - started).toBeLessThan(3000);
    expect(await stuck).toBeInstanceOf(Error);
  });
});

it('a truncated response is an error to the client, also over HTTP/2', async () => {
  function* pieces() {
    yield Buffer.alloc(200_000);
    throw new Error('no more');
  }
  await start(async () => ({ status: 200, headers: {}, body: { chunks: pieces() } }));
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => {});
  stream.resume();
  await once(stream, 'close').catch(() => undefined);
  expect(stream.rstCode).not.toBe(0);
  session.close();
});

describe('the cipher', () => {
  const cipherWith = async (options: { ciphers?: string }): Promise<string> => {
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: certificate.cert, ...options });
    await once(socket, 'secureConnect');
    const { name } = socket.getCipher();
    socket.destroy();
    return name;
  };

  it('is the 128-bit one whatever the client prefers, or another if the client supports no other', async () => {
    await start(hello);
    expect(await cipherWith({ ciphers: 'TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256' })).toBe(
      'TLS_AES_128_GCM_SHA256',
    );
    expect(await cipherWith({ ciphers: 'TLS_AES_256_GCM_SHA384' })).toBe('TLS_AES_256_GCM_SHA384');
    listener.updateTls(certificate.cert, certificate.key);
    expect(await cipherWith({})).toBe('TLS_AES_128_GCM_SHA256');
  });
});

describe('the certificate', () => {
  it('can be replaced while connections are open', async () => {
    await start(hello);
    const other = await selfSigned('other');
    listener.updateTls(other.cert, other.key);
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: other.cert });
    await once(socket, 'secureConnect');
    expect(socket.getPeerCertificate().subject.CN).toBe('other');
    socket.destroy();
  });
});

it('listen rejects if its port is in use', async () => {
  await start(hello);
  const options = { host: '127.0.0.1', port: listener.port, tls: certificate, handler: hello, log: silentLog };
  await expect(listen(options)).rejects.toThrow('EADDRINUSE');
});
