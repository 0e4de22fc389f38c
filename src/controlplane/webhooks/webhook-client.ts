import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { Semaphore } from '../../lib/queue/semaphore.ts';
import { WebhookAddresses } from './webhook-addresses.ts';

/** The maximum size of a response, in bytes. Equal to kube-apiserver's limit for a request body. */
const MAX_RESPONSE_BYTES = 3_145_728;
/** The maximum number of calls of one virtual cluster at a time, so that a tenant cannot use up all sockets. */
const MAX_CALLS = 20;
/** The maximum number of calls that wait for other calls to end. Further calls fail immediately. */
const MAX_WAITING = 100;

/** The maximum number of CA certificates whose parsed form is kept. A virtual cluster rarely uses more. */
const MAX_AUTHORITIES = 10;
/** The maximum length of certificates whose parsed form is kept: enough for all authorities that a system trusts. */
const MAX_AUTHORITY_LENGTH = 512 * 1024;

/** A call of a webhook. */
export interface WebhookCall {
  readonly url: string;
  /** The CA certificates of the webhook, in PEM; absent for the ones that the system trusts. */
  readonly authority: string | undefined;
  /** Returns the request body. Called when the call starts, so that waiting calls need little memory. */
  body(): string;
  readonly timeoutSeconds: number;
  /** The `traceparent` header of the call; absent if the request is not traced. */
  readonly traceparent?: string | undefined;
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /**
   * Waits for a time slice. The call must do this after each wait: many calls may continue at the same time, and their
   * work would delay other tenants on this thread. Absent for a write that needs no time slices.
   */
  readonly nextTimeSlice?: (() => Promise<void>) | undefined;
}

export interface WebhookReply {
  readonly status: number;
  readonly body: string;
}

/** Thrown if a webhook cannot be called or does not answer. The message is worded as in Kubernetes where possible. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/** Resolves a host name to its addresses. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface WebhookClientOptions {
  /** The addresses at which webhooks may be called: CIDRs, or `public`. */
  readonly addresses: readonly string[];
  /** Resolves host names. Optional; defaults to DNS. */
  readonly resolve?: ResolveHost;
}

/**
 * Calls the webhooks of one virtual cluster. Tenants choose the addresses of webhooks. So each call connects to an
 * address that was checked, without a second lookup, and follows no redirects. The size, duration and number of calls
 * are limited.
 */
export class WebhookClient {
  readonly #addresses: WebhookAddresses;
  readonly #resolve: ResolveHost;
  readonly #calls = new Semaphore(MAX_CALLS, MAX_WAITING);
  readonly #authorities = new BoundedCache<SecureContext>({ most: MAX_AUTHORITIES, longest: MAX_AUTHORITY_LENGTH });

  constructor({ addresses, resolve = resolveByDns }: WebhookClientOptions) {
    this.#addresses = new WebhookAddresses(addresses);
    this.#resolve = resolve;
  }

  /** Sends the call and returns the response. Throws WebhookCallError. */
  async post(call: WebhookCall): Promise<WebhookReply> {
    if (this.#calls.isFull) throw failed(call, 'too many webhook calls at a time; retry later');
    const deadline = AbortSignal.timeout(call.timeoutSeconds * 1000);
    const signal = AbortSignal.any([call.signal, deadline]);
    try {
      return await this.#sendInTurn(call, signal);
    } catch (error) {
      if (signal.aborted) throw failed(call, 'context deadline exceeded');
      throw error instanceof WebhookCallError ? error : failed(call, messageOf(error));
    } finally {
      await call.nextTimeSlice?.();
    }
  }

  async #sendInTurn(call: WebhookCall, signal: AbortSignal): Promise<WebhookReply> {
    const release = await this.#calls.acquire(signal);
    try {
      await call.nextTimeSlice?.();
      // A call that has waited until its deadline must not connect.
      signal.throwIfAborted();
      return await this.#send(call, signal);
    } finally {
      release();
    }
  }

  async #send(call: WebhookCall, signal: AbortSignal): Promise<WebhookReply> {
    const url = new URL(call.url);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const found = isIP(host) !== 0 ? [host] : await this.#resolve(host, signal);
    const address = found.find((one) => this.#addresses.allows(one));
    // A host that does not exist causes the same message. Otherwise tenants could find out which internal names exist.
    if (address === undefined) throw failed(call, 'the host has no address at which webhooks may be called');
    const port = url.port === '' ? 443 : Number(url.port);
    const body = call.body();
    const options = {
      host: address,
      port,
      // An IP address is not a valid server name; the certificate is then compared with `host`.
      servername: isIP(host) === 0 ? host : '',
      method: 'POST',
      path: `${url.pathname}?timeout=${call.timeoutSeconds}s`,
      headers: {
        host: url.host,
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
      },
      agent: false,
      signal,
      ...(call.authority === undefined ? {} : { secureContext: this.#trusting(call.authority) }),
    };
    try {
      return await exchange(options, body);
    } catch (error) {
      if (error instanceof WebhookCallError) throw failed(call, error.message);
      throw failed(call, connectionMessage(error, `${address.includes(':') ? `[${address}]` : address}:${port}`));
    }
  }

  /** Parses the certificates once for all calls, because parsing delays other tenants on this thread. */
  #trusting(authority: string): SecureContext {
    const known = this.#authorities.get(authority);
    if (known !== undefined) return known;
    const parsed = createSecureContext({ ca: authority });
    this.#authorities.set(authority, parsed);
    return parsed;
  }
}

function exchange(
  options: RequestOptions & { readonly secureContext?: SecureContext },
  body: string,
): Promise<WebhookReply> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(options, (response) => {
      readBody(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_RESPONSE_BYTES) {
      response.destroy();
      throw new WebhookCallError(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Resolves a host name by DNS queries that this program sends itself. The functions of the operating system would
 * occupy a thread until a name server responds, and all tenants and the store share these threads.
 */
export async function resolveByDns(host: string, signal: AbortSignal): Promise<readonly string[]> {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function failed({ url, timeoutSeconds }: WebhookCall, reason: string): WebhookCallError {
  return new WebhookCallError(`Post "${url}?timeout=${timeoutSeconds}s": ${reason}`);
}

/** Go's wording of connection errors, by the code of Node.js. */
const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
};

function connectionMessage(error: unknown, address: string): string {
  const { code = '' } = error as { readonly code?: string };
  const text = CONNECTION_ERRORS[code];
  if (text !== undefined) return `dial tcp ${address}: ${text}`;
  if (code === 'ECONNRESET') return 'EOF';
  if (/CERT|ISSUER|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `tls: failed to verify certificate: x509: ${certificateMessage(code, messageOf(error))}`;
  }
  return messageOf(error);
}

function certificateMessage(code: string, message: string): string {
  const isUnknown = /ISSUER|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code);
  return isUnknown ? 'certificate signed by unknown authority' : message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
