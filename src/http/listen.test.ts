import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { testCertificate } from '../../test/harness/http-server.ts';
import { selfSigned } from '../../test/harness/self-signed.ts';
import { silentLog } from '../lib/log.ts';
import type { IncomingRequest, Reply } from './exchange.ts';
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

/** Resolves when a number that grew has stopped growing for a thousand turns of the event loop. */
async function standsStill(read: () => number): Promise<void> {
  let last = 0;
  for (let turns = 0; turns < 1000 || last === 0; turns++) {
    if (read() !== last) turns = 0;
    last = read();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends bytes over TLS and gives back all that comes until the server closes. */
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

/** Begin to post, hear the answer, and hold on to the connection until the returned function is called. */
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

/** A kernel that waits before it acknowledges waits for 40 ms. */
const delayedAcknowledgement = 35;

describe('requests and answers', () => {
  it('do not wait for each other: the first answer on a connection is not held back until what was sent before is acknowledged', async () => {
    await start(async () => {
      // Later than the last of the handshake, which it would otherwise travel with.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      return { status: 200, headers: {}, body: 'hello' };
    });
    const times: number[] = [];
    // One that was not held back is enough: a busy machine makes many of them late.
    while (times.length < 200 && Math.min(...times) >= delayedAcknowledgement) {
      const started = performance.now();
      await (await call('/')).body.text();
      times.push(performance.now() - started);
    }
    expect(Math.min(...times)).toBeLessThan(delayedAcknowledgement);
  });

  it.each([false, true])('leave nobody waiting for a body whose answer is out, HTTP/2: %s', async (http2) => {
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

  it('are over for an HTTP/2 client whose long body nobody wants to read', async () => {
    await start(async () => ({ status: 403, headers: {}, body: 'no' }));
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    let text = '';
    stream.on('data', (piece) => {
      text += piece;
    });
    // More than the client may send before somebody reads.
    stream.end(Buffer.alloc(1_000_000));
    await once(stream, 'close');
    expect(text).toBe('no');
    session.close();
  });

  it.each([false, true])('are refused as a Status for what nobody can expect, HTTP/2: %s', async (http2) => {
    await start(hello);
    const text = http2
      ? await expectOverHttp2()
      : await sendRaw('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: it\r\n\r\n');
    expect(text).toContain('"message":"the server cannot meet the expectation \\"it\\""');
    expect(text).toContain('"code":417');
  });

  it.each([false, true])('pass over HTTP/1.1 and HTTP/2 alike, HTTP/2: %s (HDR-09)', async (http2) => {
    let seen: IncomingRequest | undefined;
    let body = '';
    await start(async (incoming) => {
      seen = incoming;
      body = Buffer.from(await readBody({ request: incoming })).toString();
      return { status: 201, headers: { 'x-test': ['a', 'b'] }, body: 'größe' };
    });
    const response = await call('/path%2F?a=b', { http2, method: 'POST', headers: { 'x-sent': 'here' }, body: 'sent' });
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
  });

  it('are packed above 128 KiB for those who ask (NEG-20)', async () => {
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

  it.each([false, true])('to HEAD have no body, HTTP/2: %s (REQ-25)', async (http2) => {
    await start(hello);
    const response = await call('/', { method: 'HEAD', http2 });
    expect(response.headers['content-length']).toBe('5');
    expect(await response.body.text()).toBe('');
  });

  it('that fail in an unknown way are a bare 500', async () => {
    await start(() => Promise.reject(new Error('secret')));
    const response = await call('/');
    expect(response.statusCode).toBe(500);
    expect(await response.body.text()).not.toContain('secret');
  });

  it('in the absolute form mean the path in them', async () => {
    await start(async ({ url }) => ({ status: 200, headers: {}, body: url }));
    const answer = await sendRaw('GET https://other/a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/\r\n\r\n\/a\?b$/);
  });
});

describe('streams', () => {
  it.each([false, true])('are never written faster than they are read, HTTP/2: %s', async (http2) => {
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
    // What the kernel, TLS and both ends' buffers hold, and no more: an unbounded writer makes gigabytes in this time.
    expect(made).toBeGreaterThan(0);
    expect(made * line.length).toBeLessThan(64 * 1024 * 1024);
    stream.destroy();
    await ended;
    session?.close();
  });

  it('of a reader who takes nothing for too long are cut off', async () => {
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

  it('and long answers that nobody reads do not hold up the other streams of their session', async () => {
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
    // All of it is read in the end: Node's HTTP/2 client corrupts its own memory when it is destroyed before that.
    for (const long of unread) {
      let length = 0;
      for await (const chunk of long) length += chunk.length;
      expect(length).toBe(big.length);
    }
    session.close();
  });

  it('that throw end the connection, not the server', async () => {
    // biome-ignore lint/correctness/useYield: it fails before the first line.
    async function* broken(): AsyncGenerator<string> {
      throw new Error('broken');
    }
    await start(async ({ url }) => (url === '/' ? { status: 200, headers: {}, body: broken() } : hello()));
    const response = await call('/');
    await expect(response.body.text()).rejects.toThrow();
    expect((await call('/again')).statusCode).toBe(200);
  });
});

describe('what is no request', () => {
  it('is answered 431, 408 or 400 as a Status, and the server goes on', async () => {
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
    'has no host that all would read alike: HTTP/%s, %s; nothing after it is carried out',
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
    'is none of those that have one: %s',
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
  ])('is answered behind the request before it, whose answer is its own: %s', async (_what, sent, codes) => {
    const carriedOut: string[] = [];
    await start(async (request) => {
      for await (const _ of request.body);
      carriedOut.push(request.url);
      // By then the rest has been read as well.
      await new Promise((resolve) => setImmediate(resolve));
      return hello();
    });
    const answers = [...(await sendRaw(sent)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code);
    expect(answers).toEqual(codes);
    expect(carriedOut).toEqual(['/first']);
  });

  it('over plain TCP is dropped', async () => {
    await start(hello);
    const socket = connectTcp(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect((await call('/')).statusCode).toBe(200);
  });

  it('has too many headers for HTTP/2 too', async () => {
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

describe('a client that goes away', () => {
  it.each([false, true])('fires the signal of its request, HTTP/2: %s', async (http2) => {
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
  it('that answers no ping is cut off', async () => {
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

  it('that answers pings stays', async () => {
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
  it('lets what is at work finish, closes what is idle and takes nothing new', async () => {
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

  it('finishes HTTP/2 requests after GOAWAY', async () => {
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

  it('holds the process until it is over, which otherwise might end in the midst of it', async () => {
    // Lists what keeps the event loop going, and nothing else.
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

  it('cuts off what does not end in its time', async () => {
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

it('is not taken for a whole answer what breaks off, over HTTP/2 either', async () => {
  function* pieces() {
    yield Buffer.alloc(200_000);
    throw new Error('no more');
  }
  await start(async () => ({ status: 200, headers: {}, body: { pieces: pieces() } }));
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

  it('is that of 128 bits, whichever the client names first, and another where the client takes no other', async () => {
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
  it('can be changed while connections stand', async () => {
    await start(hello);
    const other = await selfSigned('other');
    listener.updateTls(other.cert, other.key);
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: other.cert });
    await once(socket, 'secureConnect');
    expect(socket.getPeerCertificate().subject.CN).toBe('other');
    socket.destroy();
  });
});

it('says so when its port is taken', async () => {
  await start(hello);
  const options = { host: '127.0.0.1', port: listener.port, tls: certificate, handler: hello, log: silentLog };
  await expect(listen(options)).rejects.toThrow('EADDRINUSE');
});
