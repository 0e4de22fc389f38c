import { isLoopbackHost } from '../../lib/loopback-host.ts';
import { ProviderError } from './connector.ts';
import { ProviderAddresses, type ResolveHost } from './provider-addresses.ts';

/** The maximum size of a response of a provider. Documents with thousands of groups are smaller. */
const maxResponseBytes = 1024 * 1024;

/** The time within which a provider must have sent its whole response. */
const timeoutMilliseconds = 10_000;

export interface ProviderFetchOptions {
  readonly issuer: string;
  /** CA certificates in PEM format. If absent, those of Node.js are used. */
  readonly ca?: string;
  readonly timeoutMilliseconds?: number;
  /** Resolves the host of the issuer. Optional; defaults to the resolver of the system. */
  readonly resolve?: ResolveHost;
}

/** The parameters with which OAuth libraries call a fetch function. */
export interface ProviderRequest {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/** Sends requests to one provider. */
export interface ProviderFetch {
  readonly fetch: (url: string | URL, request?: ProviderRequest) => Promise<Response>;
  /** Ends all requests and closes the connections. */
  close(): Promise<void>;
}

/**
 * Creates a fetch function for the endpoints of one provider. The provider's discovery document is untrusted input, so
 * time, size, protocol and address of requests are limited, and redirects are not followed. Rejects with a
 * ProviderError.
 */
export async function openProviderFetch(options: ProviderFetchOptions): Promise<ProviderFetch> {
  // Loaded on demand, because many servers have no connectors and loading it takes a noticeable part of the start.
  const { default: undici } = await import('undici');
  const issuer = new URL(options.issuer);
  const addresses = new ProviderAddresses(issuer, options.resolve);
  const milliseconds = options.timeoutMilliseconds ?? timeoutMilliseconds;
  const agent = new undici.Agent({
    connect: {
      lookup: addresses.lookup,
      timeout: milliseconds,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    },
    maxResponseSize: maxResponseBytes,
    // A provider receives few requests, so few connections suffice. Idle connections are closed soon.
    connections: 20,
    keepAliveTimeout: 10_000,
  });

  async function send(url: URL, request: ProviderRequest): Promise<Response> {
    await addresses.checkLiteral(url);
    const deadline = AbortSignal.timeout(milliseconds);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const { statusCode, headers, body } = await undici.request(url, {
      dispatcher: agent,
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(request.headers)),
      body: request.body === undefined || request.body === null ? null : String(request.body),
      signal,
    });
    const text = await body.text();
    if (headers['content-encoding'] !== undefined) {
      throw new ProviderError('Unavailable', `${placeOf(url)} sent a compressed response, which was not requested`, {
        isOutcomeUnknown: true,
      });
    }
    const type = [headers['content-type'] ?? ''].flat().join(', ');
    const challenge = [headers['www-authenticate'] ?? []].flat().join(', ');
    return new Response(withoutBody.has(statusCode) ? null : text, {
      status: statusCode,
      headers: { 'content-type': type, ...(challenge === '' ? {} : { 'www-authenticate': challenge }) },
    });
  }

  return {
    async fetch(target, request = {}) {
      const url = new URL(target);
      assertProtocol(url, issuer);
      try {
        return await send(url, request);
      } catch (error) {
        if (error instanceof ProviderError) throw error;
        throw new ProviderError('Unavailable', `no usable response of ${placeOf(url)}: ${reasonOf(error)}`, {
          cause: error,
          isOutcomeUnknown: !isConnectFailure(error),
        });
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Throws unless a URL of the provider uses `https`. If the issuer is on this machine, `http` URLs on this machine are
 * also accepted.
 */
export function assertProtocol(url: URL, issuer: URL): void {
  if (url.protocol === 'https:') return;
  if (url.protocol === 'http:' && issuer.protocol === 'http:' && isLoopbackHost(url.hostname)) return;
  throw new ProviderError('Unavailable', `the provider has an endpoint at ${placeOf(url)}, which does not use https`);
}

const withoutBody = new Set([204, 205, 304]);

/** Describes a URL without its query, which may contain secrets. */
function placeOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** True if no connection was established, so the request was not sent. */
function isConnectFailure(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return (
    syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT' || /CERT|TLS/.test(code)
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the time limit is exceeded';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `it is larger than ${maxResponseBytes} bytes`;
  return error.message === '' ? (code ?? error.name) : error.message;
}
