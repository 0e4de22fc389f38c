import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { JsonObject } from '@flotilla/json';
import { Agent, type Dispatcher, request } from 'undici';
import { afterEach, beforeEach } from 'vitest';
import { testCertificate } from '../../test/harness/test-http-server.ts';
import { connectToHost } from '../hosts/kubernetes/reach/host-connection.ts';
import { listen } from '../http/wire/listen.ts';
import type { ListenLimits } from '../http/wire/listen-limits.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createForwardingGateways } from './forwarding-gateways.fixture.ts';
import { ForwardingState } from './forwarding-state.fixture.ts';

/**
 * The paths of the cluster `far`, the virtual cluster `demo` and the space `web`. Requests to all of them reach the same
 * target server.
 */
export const farClusterPath = '/kubernetes/cluster/far';
export const demoInstancePath = '/kubernetes/project/default/virtualcluster/demo';
export const webSpacePath = '/kubernetes/project/default/space/web';

/** Returns a promise and the function that resolves it. */
export function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolveNow = () => {};
  const promise = new Promise<void>((resolve) => {
    resolveNow = resolve;
  });
  return { promise, resolve: () => resolveNow() };
}

export interface TestRequest {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * A test environment with both gateways behind a real listener. The gateways forward requests to a Node HTTP server
 * whose behavior a test defines. All connections use real sockets.
 */
export class ForwardingTestEnv {
  #open: Awaited<ReturnType<typeof open>> | undefined;

  /** Creates a new environment for each test of the enclosing `describe`, and closes it after the test. */
  static forEach(limits: Partial<ListenLimits> = {}): ForwardingTestEnv {
    const env = new ForwardingTestEnv();
    beforeEach(async () => {
      env.#open = await open(limits);
    });
    afterEach(() => env.#now.close());
    return env;
  }

  get #now() {
    if (this.#open === undefined) throw new Error('no test is running');
    return this.#open;
  }

  get state(): ForwardingState {
    return this.#now.state;
  }

  get gateways() {
    return this.#now.gateways;
  }

  get listener() {
    return this.#now.listener;
  }

  get certificate(): string {
    return this.#now.certificate;
  }

  get url(): string {
    return `https://localhost:${this.listener.port}`;
  }

  /** Stops the target server, so that nothing listens at its address. */
  stopTarget(): Promise<void> {
    return this.#now.stopTarget();
  }

  send(path: string, { method = 'GET', token = 'anna-token', headers = {}, body }: TestRequest = {}) {
    return request(`${this.url}${path}`, {
      dispatcher: this.#now.agent,
      method: method as Dispatcher.HttpMethod,
      headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body: body as never }),
    });
  }

  async request(path: string, request: TestRequest = {}) {
    const { statusCode, headers, body } = await this.send(path, request);
    const text = await body.text();
    return { code: statusCode, headers, text, json: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {} };
  }

  /** Opens a TLS connection to the gateways, and writes exactly this text to the connection. */
  async raw(text: string): Promise<TLSSocket> {
    const socket = connect({
      port: this.listener.port,
      host: '127.0.0.1',
      ca: this.certificate,
      servername: 'localhost',
    });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    socket.write(text);
    return socket;
  }

  /** Sends this text on a new connection, and returns everything that arrives until the connection closes. */
  async rawResponse(text: string): Promise<string> {
    const socket = await this.raw(text);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    await once(socket, 'close');
    return answer;
  }
}

async function open(limits: Partial<ListenLimits>) {
  const state = new ForwardingState();
  const sockets = new Set<Socket>();
  const target = createServer((request, response) => {
    state.seen.push({ method: request.method, url: request.url, headers: request.headers });
    state.respond(request, response);
  });
  target.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  target.on('upgrade', (request, socket, head) => {
    state.seen.push({ method: request.method, url: request.url, headers: request.headers });
    state.onUpgrade(request, socket as Socket, head);
  });
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const connection = connectToHost(
    { server: `http://127.0.0.1:${port}`, token: 'host-credential' },
    { clock: systemClock },
  );
  const gateways = createForwardingGateways(state, connection.api);
  const tls = await testCertificate();
  const listener = await listen({ host: '127.0.0.1', port: 0, tls, log: silentLog, limits, handler: gateways.handler });
  const agent = new Agent({ connect: { ca: tls.cert, servername: 'localhost' } });
  const stopTarget = async () => {
    target.close();
    for (const socket of sockets) socket.destroy();
    if (target.listening) await once(target, 'close');
  };
  return {
    state,
    gateways,
    listener,
    agent,
    certificate: tls.cert,
    stopTarget,
    async close() {
      await agent.destroy();
      await listener.drain(500);
      await connection.close();
      await stopTarget();
    },
  };
}
