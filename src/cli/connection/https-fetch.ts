import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Fetch, FetchedResponse } from '../../client/send-request.ts';
import { errorCode } from '../../lib/private-file.ts';
import { programVersion } from '../../lib/program-version.ts';
import { CliError, timeoutError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { pause } from '../pause.ts';
import { ProxyAgent } from './proxy-agent.ts';
import { proxyFor } from './proxy-for.ts';
import { isTrustError } from './trust-error.ts';

export interface HttpsFetchOptions {
  readonly url: string;
  readonly authority: string | undefined;
  readonly environment: Environment;
  /** Called with the text of each `Warning` header of a response. */
  warn(text: string): void;
}

export interface HttpsFetch {
  readonly fetch: Fetch;
  close(): void;
}

const connectMilliseconds = 15_000;
/** Timeout from the end of the request to the response headers. */
const responseMilliseconds = 60_000;
const maxAttempts = 4;
const longestPause = 10_000;

/**
 * Creates a `fetch` function that uses the CA of the server and the proxy of the user. It is based on Node's own HTTPS
 * client, because loading a larger HTTP library would take a third of the startup time.
 */
export function httpsFetch(options: HttpsFetchOptions): HttpsFetch {
  const trust = { keepAlive: true, ...(options.authority === undefined ? {} : { ca: options.authority }) };
  const proxy = proxyFor(new URL(options.url), options.environment);
  const agent = proxy === undefined ? new Agent(trust) : new ProxyAgent(proxy, trust);
  const fetch: Fetch = async (url, init) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(agent, options, url, init);
      if (response.statusCode !== 429 || attempt === maxAttempts) return fetched(response, options, init.signal);
      const seconds = Number(response.headers['retry-after'] ?? 1);
      response.resume();
      await pause(Math.min(Number.isFinite(seconds) ? seconds * 1000 : 1000, longestPause), init.signal);
    }
  };
  return { fetch, close: () => agent.destroy() };
}

function send(
  agent: Agent,
  options: HttpsFetchOptions,
  url: string,
  init: Parameters<Fetch>[1],
): Promise<IncomingMessage> {
  const { signal } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const outgoing = request(url, {
      agent,
      method: init.method,
      headers: {
        ...init.headers,
        'User-Agent': `flotilla/${programVersion}`,
        // Node sets Content-Length itself only for methods that usually have a body.
        ...(init.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(init.body) }),
      },
    });
    let isConnected = false;
    let timer = setTimeout(() => outgoing.destroy(timeoutOf(options.url, isConnected)), connectMilliseconds);
    const onAbort = () => outgoing.destroy(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const done = () => clearTimeout(timer);
    const waitForResponse = () => {
      isConnected = true;
      clearTimeout(timer);
      timer = setTimeout(() => outgoing.destroy(timeoutOf(options.url, true)), responseMilliseconds);
    };
    outgoing.once('socket', (socket) => {
      if (socket.connecting) socket.once('secureConnect', waitForResponse);
      else waitForResponse();
    });
    outgoing.once('response', (response) => {
      done();
      response.once('close', () => signal?.removeEventListener('abort', onAbort));
      resolve(response);
    });
    outgoing.once('error', (error) => {
      done();
      signal?.removeEventListener('abort', onAbort);
      reject(signal?.aborted ? signal.reason : unreachable(options.url, error));
    });
    outgoing.end(init.body);
  });
}

function fetched(
  response: IncomingMessage,
  options: HttpsFetchOptions,
  signal: AbortSignal | undefined,
): FetchedResponse {
  for (const warning of warningsIn(response)) options.warn(warning);
  const body = bodyOf(response, options.url, signal);
  return { status: response.statusCode ?? 0, text: () => text(body), body };
}

/** Yields the response body. If the stream breaks, throws an error: aborted, or server unreachable. */
async function* bodyOf(
  response: IncomingMessage,
  url: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(url, error instanceof Error ? error : new Error(String(error)));
  }
}

/** Returns the texts of `Warning` headers in the format that Kubernetes uses: `299 - "text of the warning"`. */
function warningsIn({ headers }: IncomingMessage): string[] {
  return [...(headers.warning ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  );
}

function timeoutOf(url: string, isConnected: boolean): CliError {
  return timeoutError(isConnected ? `${url} did not respond in time` : `connection to ${url} timed out`);
}

function unreachable(url: string, error: Error): CliError {
  if (error instanceof CliError) return error;
  const code = errorCode(error);
  if (isTrustError(code)) {
    return new CliError(`the certificate of ${url} is not trusted (${code})`, {
      next: `inspect it with: flotilla login ${url}, or pass its CA with --ca-file or FLOTILLA_CA_FILE`,
      cause: error,
    });
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const next = 'use an address that the certificate contains, or start the server with --tls-san';
    return new CliError(`the certificate of ${url} is for another host name`, { next, cause: error });
  }
  if (code?.startsWith('CERT_')) {
    return new CliError(`the certificate of ${url} is invalid (${code})`, { cause: error });
  }
  const next = 'check the address and whether the server is running';
  return new CliError(`cannot reach the server at ${url} (${code ?? error.message})`, { next, cause: error });
}
