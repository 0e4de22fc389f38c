import { afterEach, describe, expect, it } from 'vitest';
import { WebhookAddresses } from './webhook-addresses.ts';
import { type ResolveHost, WebhookClient } from './webhook-client.ts';
import { type AnswerReview, WebhookTestServer } from './webhook-server.fixture.ts';

const loopback = ['127.0.0.0/8'];
const servers: WebhookTestServer[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(answer: AnswerReview): Promise<WebhookTestServer> {
  const server = await WebhookTestServer.start(answer);
  servers.push(server);
  return server;
}

interface CallOptions {
  readonly addresses?: readonly string[];
  readonly resolve?: ResolveHost;
  readonly url?: string;
  readonly timeoutSeconds?: number;
  readonly trusts?: boolean;
}

function call(server: WebhookTestServer, { addresses = loopback, trusts = true, ...options }: CallOptions = {}) {
  const client = new WebhookClient({ addresses, ...(options.resolve && { resolve: options.resolve }) });
  return client.post({
    url: options.url ?? server.url,
    authority: trusts ? Buffer.from(server.caBundle, 'base64').toString() : undefined,
    body: () => '{}',
    timeoutSeconds: options.timeoutSeconds ?? 10,
    signal: new AbortController().signal,
  });
}

describe('the addresses of webhooks', () => {
  const isPublic = new WebhookAddresses(['public']);

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::a00:1',
    '2001:0:1::1',
    '2001:db8::1',
    '2002:a00:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    'example.com',
    '',
  ])('do not include %s by default', (address) => {
    expect(isPublic.allows(address)).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
    'include the public address %s',
    (address) => {
      expect(isPublic.allows(address)).toBe(true);
    },
  );

  it('include the ranges of the setting, and nothing else without `public`', () => {
    const some = new WebhookAddresses(['10.0.0.0/8', 'fd00::/8']);
    expect(['10.9.9.9', '::ffff:10.9.9.9', 'fd00::1'].map((one) => some.allows(one))).toEqual([true, true, true]);
    expect(['1.1.1.1', '192.168.0.1', 'fc00::1'].map((one) => some.allows(one))).toEqual([false, false, false]);
    expect(new WebhookAddresses([]).allows('1.1.1.1')).toBe(false);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'internal', '::/129', '10.0.0.0/x'])('cannot be %s', (entry) => {
    expect(() => new WebhookAddresses([entry])).toThrow('is not a CIDR');
  });
});

describe('a call of a webhook', () => {
  it('returns the response', async () => {
    const server = await serve(() => ({ allowed: true }));
    const { status, body } = await call(server);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ response: { allowed: true } });
  });

  it('connects only to addresses that are allowed', async () => {
    const server = await serve(() => ({ allowed: true }));
    await expect(call(server, { addresses: ['public'] })).rejects.toThrow(
      'the host has no address at which webhooks may be called',
    );
    await expect(call(server, { addresses: [] })).rejects.toThrow('no address at which webhooks may be called');
    expect(server.seen).toEqual([]);
  });

  it('does not reveal whether a host exists', async () => {
    const server = await serve(() => ({ allowed: true }));
    const url = 'https://db.internal/';
    const messages: unknown[] = [];
    for (const found of [[], ['10.0.0.7']]) {
      messages.push(await call(server, { url, addresses: ['public'], resolve: async () => found }).catch(String));
    }
    expect(messages[0]).toContain('the host has no address at which webhooks may be called');
    expect(messages[1]).toBe(messages[0]);
  });

  it.each(['https://2130706433/', 'https://0x7f000001/', 'https://127.1/', 'https://[::ffff:127.0.0.1]/'])(
    'recognizes the address in %s',
    async (url) => {
      const server = await serve(() => ({ allowed: true }));
      const at = url.replace(/\/$/, `:${server.port}/`);
      await expect(call(server, { addresses: ['public'], url: at })).rejects.toThrow('no address at which');
      expect(server.seen).toEqual([]);
    },
  );

  it('is refused if the name resolves to a private address', async () => {
    const server = await serve(() => ({ allowed: true }));
    const url = `https://hooks.example.com:${server.port}/`;
    const resolve = async () => ['10.0.0.7', '169.254.169.254', 'fd00::1'];
    await expect(call(server, { addresses: ['public'], url, resolve })).rejects.toThrow('no address at which');
  });

  it('resolves the name once, so another answer of the name server cannot redirect it', async () => {
    const server = await serve(() => ({ allowed: true }));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let queries = 0;
    const resolve = async () => answers[queries++] ?? [];
    const { status } = await call(server, { url: `https://localhost:${server.port}/`, resolve });
    expect([status, queries]).toEqual([200, 1]);
  });

  it('verifies the certificate with the CA of the webhook, and for the name in the URL', async () => {
    const server = await serve(() => ({ allowed: true }));
    await expect(call(server, { trusts: false })).rejects.toThrow('certificate signed by unknown authority');
    const resolve = async () => ['127.0.0.1'];
    const url = `https://other.example.com:${server.port}/`;
    await expect(call(server, { url, resolve })).rejects.toThrow('tls: failed to verify certificate');
    expect(server.seen).toEqual([]);
  });

  it('does not follow redirects', async () => {
    const other = await serve(() => ({ allowed: true }));
    const server = await serve((_, response) => void response.writeHead(302, { location: other.url }).end());
    expect((await call(server)).status).toBe(302);
    expect(other.seen).toEqual([]);
  });

  it('ends after its timeout if there is no response', async () => {
    const server = await serve(() => undefined);
    await expect(call(server, { timeoutSeconds: 1 })).rejects.toThrow(
      `Post "${server.url}?timeout=1s": context deadline exceeded`,
    );
  });

  it('ends if the response does not end in time', async () => {
    const server = await serve((_, response) => void response.writeHead(200).write('{'));
    await expect(call(server, { timeoutSeconds: 1 })).rejects.toThrow('context deadline exceeded');
  });

  it('ends if the name server does not answer', async () => {
    const server = await serve(() => ({ allowed: true }));
    const resolve: ResolveHost = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const url = `https://slow.example.com:${server.port}/`;
    await expect(call(server, { url, resolve, timeoutSeconds: 1 })).rejects.toThrow('context deadline exceeded');
  });

  it('ends at a response of 100 MB', async () => {
    let sent = 0;
    const server = await serve((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const write = () => {
        while (sent < 100 * 1024 * 1024 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
      return undefined;
    });
    await expect(call(server)).rejects.toThrow('the response is larger than 3145728 bytes');
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  it('waits while too many calls are in progress, and fails if too many wait', async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((_, response) => void waiting.push(() => response.end('{}')));
    const client = new WebhookClient({ addresses: loopback });
    const authority = Buffer.from(server.caBundle, 'base64').toString();
    const { signal } = new AbortController();
    const post = () => client.post({ url: server.url, authority, body: () => '{}', timeoutSeconds: 30, signal });
    const results = Array.from({ length: 120 }, post);
    await expect(post()).rejects.toThrow('too many webhook calls at a time');
    let ended = 0;
    for (const result of results) void result.then(() => ended++);
    while (ended < results.length) {
      expect(waiting.length).toBeLessThanOrEqual(20);
      for (const end of waiting.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  /** A call that gets time slices only from the test. `grant` waits until the call requests a slice, and grants it. */
  async function callInTimeSlices() {
    const server = await serve(() => ({ allowed: true }));
    const asked: (() => void)[] = [];
    const ending = new AbortController();
    const steps: string[] = [];
    const posted = new WebhookClient({ addresses: loopback }).post({
      url: server.url,
      authority: Buffer.from(server.caBundle, 'base64').toString(),
      body() {
        steps.push('sent');
        return '{}';
      },
      timeoutSeconds: 30,
      signal: ending.signal,
      nextTimeSlice: () => new Promise((resolve) => asked.push(resolve)),
    });
    const result = posted.then(
      () => steps.push('answered'),
      (error: Error) => steps.push(error.message),
    );
    const grant = async () => {
      await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(1);
      steps.push('time slice');
      asked.pop()?.();
    };
    return { server, steps, result, ending, grant };
  }

  it('connects in a time slice, and continues with the response in another one', async () => {
    const { steps, result, grant } = await callInTimeSlices();
    await grant();
    await grant();
    await result;
    expect(steps).toEqual(['time slice', 'sent', 'time slice', 'answered']);
  });

  it('does not connect if it ends before its time slice, and fails in another one', async () => {
    const { server, steps, result, ending, grant } = await callInTimeSlices();
    ending.abort();
    await grant();
    await grant();
    await result;
    expect(steps).toEqual(['time slice', 'time slice', expect.stringContaining('context deadline exceeded')]);
    expect(server.seen).toEqual([]);
  });

  it('reports a refused connection', async () => {
    const server = await serve(() => ({ allowed: true }));
    const { url, port } = server;
    server.close();
    await expect(call(server, { url })).rejects.toThrow(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });
});
