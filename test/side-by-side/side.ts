import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { Tokens } from './tokens.ts';

/**
 * A request to one server. The requests to the two servers may differ only in values from each server's own responses.
 */
export interface SideRequest {
  readonly method?: string;
  readonly path: string;
  /** Additional headers. `null` removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
  /** The body as JSON, sent as `application/json` unless a header overrides the type. */
  readonly json?: unknown;
  /** The bearer token. `null` sends no credential. */
  readonly token?: string | null;
}

export interface Received {
  /** The HTTP status; 0 if the connection was closed without a response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly warnings: readonly string[];
  readonly text: string;
}

/** An object from a response, kept to be changed and sent back. */
export interface KeptObject {
  [member: string]: unknown;
  metadata: Record<string, unknown>;
  spec: Record<string, unknown>;
}

export interface SideOptions {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

/** One of the two servers: its address, its kept responses, and the tokens for its uids and versions. */
export class Side {
  readonly tokens = new Tokens();
  readonly #url: URL;
  readonly #token: string;
  readonly #agent: Agent;
  readonly #kept = new Map<string, KeptObject>();

  constructor({ url, token, ca }: SideOptions) {
    this.#url = new URL(url);
    this.#token = token;
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: 100 });
  }

  keep(name: string, { text }: Received): void {
    this.#kept.set(name, JSON.parse(text));
  }

  /** Returns a copy of the kept object. Throws if nothing was kept under the name. */
  kept(name: string): KeptObject {
    const object = this.#kept.get(name);
    if (object === undefined) throw new Error(`nothing was kept as ${name}`);
    return structuredClone(object);
  }

  version(name: string): string {
    return String(this.kept(name).metadata.resourceVersion);
  }

  continuation(name: string): string {
    return encodeURIComponent(String(this.kept(name).metadata.continue));
  }

  async send(request: SideRequest): Promise<Received> {
    const { received } = await this.open(request);
    return await received;
  }

  /** Sends a request. Resolves when the response begins, which for a watch is long before its end. */
  open(request: SideRequest): Promise<{ received: Promise<Received> }> {
    const { method = 'GET', path } = request;
    const body = request.body ?? (request.json === undefined ? undefined : JSON.stringify(request.json));
    return new Promise((resolve) => {
      const outgoing = httpsRequest({
        agent: this.#agent,
        host: this.#url.hostname,
        port: this.#url.port,
        method,
        path: this.#url.pathname.replace(/\/$/, '') + path,
        headers: this.#headers(request, body),
      });
      outgoing.on('response', (response) => resolve({ received: receive(response) }));
      outgoing.on('error', (error) => resolve({ received: Promise.resolve(noAnswer(error)) }));
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #headers(request: SideRequest, body: string | undefined): Record<string, string> {
    const token = request.token === undefined ? this.#token : request.token;
    const headers: Record<string, string | null> = {
      'user-agent': 'workshop/1.0',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...request.headers,
    };
    return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null));
  }
}

function receive(response: IncomingMessage): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', (error) => resolve(noAnswer(error)));
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      const warnings = response.headersDistinct.warning ?? [];
      resolve({ status, headers, warnings, text: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

function noAnswer(error: NodeJS.ErrnoException): Received {
  return { status: 0, headers: {}, warnings: [], text: `no answer: ${error.code ?? error.message}` };
}
