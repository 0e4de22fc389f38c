import { Agent, request as undiciRequest } from 'undici';
import type { AuditEvent } from '../../src/api/audit/audit-event.ts';
import { notImplemented } from '../../src/api/status.ts';
import type { AuditLog } from '../../src/audit/audit-log.ts';
import type { Identity } from '../../src/auth/identity.ts';
import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../../src/http/chain.ts';
import { type Handler, passThrough } from '../../src/http/exchange.ts';
import { inFlightFilter } from '../../src/http/filters/in-flight.ts';
import { sourceLimitFilter } from '../../src/http/filters/source-limit.ts';
import { type PlaneHandlerOptions, planeHandler } from '../../src/http/handlers/dispatch.ts';
import { router } from '../../src/http/router.ts';
import { type Listener, listen } from '../../src/http/wire/listen.ts';
import type { ListenLimits } from '../../src/http/wire/listen-limits.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type KeyPairPem, selfSigned } from './self-signed.ts';
import { WidgetPlane } from './widget-plane.ts';

let certificate: Promise<KeyPairPem> | undefined;

/** One certificate for all tests of a run: creating it takes longer than most tests. */
export function testCertificate(): Promise<KeyPairPem> {
  certificate ??= selfSigned();
  return certificate;
}

export class MemoryAuditLog implements AuditLog {
  readonly events: AuditEvent[] = [];
  broken = false;

  async write(event: AuditEvent): Promise<void> {
    if (this.broken) throw new Error('disk full');
    // The event is serialized and parsed, as if it had been read from the log file.
    this.events.push(JSON.parse(JSON.stringify(event)) as AuditEvent);
  }

  async close(): Promise<void> {}
}

export interface TestHttpServerOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly limits?: Partial<ListenLimits>;
  readonly chain?: Partial<AuthenticatedChainOptions>;
  readonly plane?: Partial<PlaneHandlerOptions>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary response documents.
  readonly json: any;
}

export interface TestRequestOptions {
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
  /** The bearer token. `undefined` sends no credential. */
  readonly token?: string | undefined;
  readonly http2?: boolean;
}

/** A listener on a free port that serves a `WidgetPlane` behind the complete filter chain. */
export class TestHttpServer {
  readonly plane = new WidgetPlane();
  readonly auditLog = new MemoryAuditLog();
  readonly sessions = new Map<string, AbortController>();
  /** The permission signal of all identities. Tests set it. */
  rights: Identity['permissionSignal'];
  readonly listener: Listener;
  readonly certificate: KeyPairPem;
  readonly #agents: Record<'http1' | 'http2', Agent>;

  private constructor(listener: Listener, certificate: KeyPairPem) {
    this.listener = listener;
    this.certificate = certificate;
    const connect = { ca: certificate.cert, servername: 'localhost' };
    this.#agents = { http1: new Agent({ connect, allowH2: false }), http2: new Agent({ connect, allowH2: true }) };
  }

  static async start(options: TestHttpServerOptions = {}): Promise<TestHttpServer> {
    const certificate = await testCertificate();
    let handler: ReturnType<typeof router> | undefined;
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      tls: certificate,
      log: options.log ?? silentLog,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      handler: (request) => (handler === undefined ? Promise.reject(new Error('not yet')) : handler(request)),
    });
    const server = new TestHttpServer(listener, certificate);
    handler = server.#router(options);
    return server;
  }

  #router(options: TestHttpServerOptions): ReturnType<typeof router> {
    const clock = options.clock ?? systemClock;
    const log = options.log ?? silentLog;
    const guard: AuthenticatedChainOptions = {
      clock,
      log,
      depth: 2,
      authenticate: (token) => this.#identity(token),
      auditLog: this.auditLog,
      sourceLimit: sourceLimitFilter({ clock }),
      keyRate: passThrough,
      watchLimit: passThrough,
      inFlight: inFlightFilter({ clock }),
      authorize: (identity, attributes) => this.plane.authorize(identity, attributes),
      ...options.chain,
    };
    const plane = planeHandler({
      plane: this.plane,
      log,
      now: () => clock.now(),
      nonResource: async (exchange) => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: exchange.info.path, verb: exchange.info.verb }),
      }),
      ...options.plane,
    });
    const version: Handler = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"major":"1"}',
    });
    return router({
      clock,
      log,
      mounts: [
        { prefix: '/kubernetes/management', handler: authenticatedChain(guard, plane) },
        {
          prefix: '/kubernetes/cluster',
          handler: authenticatedChain({ ...guard, depth: 1 }, () => Promise.reject(notImplemented('no clusters yet'))),
        },
        { prefix: '/version', exact: true, handler: publicChain({ clock, log, depth: 0 }, version) },
      ],
    });
  }

  /** Returns the identity for a token `<user>-token`. Each token has a session that a test can end. */
  #identity(token: string): Identity | undefined {
    const name = /^(\w+)-token$/.exec(token)?.[1];
    if (name === undefined) return undefined;
    const session = this.sessions.get(name) ?? new AbortController();
    this.sessions.set(name, session);
    const { rights } = this;
    return {
      user: { name, groups: ['testers'] },
      accessKey: `${name}-key`,
      system: false,
      signal: session.signal,
      ...(rights === undefined ? {} : { permissionSignal: rights }),
    };
  }

  get origin(): string {
    return `https://127.0.0.1:${this.listener.port}`;
  }

  /** Sends a request below the management root. A path that starts with `//` is absolute. */
  async request(method: string, path: string, options: TestRequestOptions = {}): Promise<TestResponse> {
    const { headers, text, status } = await this.raw(method, path, options).then(async (response) => ({
      status: response.statusCode,
      headers: response.headers,
      text: await response.body.text(),
    }));
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status, headers, text, json };
  }

  raw(method: string, path: string, options: TestRequestOptions = {}) {
    const token = 'token' in options ? options.token : 'admin-token';
    const where = path.startsWith('//') ? path.slice(1) : `/kubernetes/management${path}`;
    return undiciRequest(`${this.origin}${where}`, {
      method: method as never,
      dispatcher: this.#agents[options.http2 === true ? 'http2' : 'http1'],
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
    });
  }

  async stop(): Promise<void> {
    await this.listener.drain(2000);
    await Promise.all([this.#agents.http1.destroy(), this.#agents.http2.destroy()]);
  }
}
