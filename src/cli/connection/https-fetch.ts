import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Fetch, FetchedResponse } from '../../client/send-request.ts';
import { errorCode } from '../../lib/private-file.ts';
import { programVersion } from '../../lib/program-version.ts';
import { CliError, timeoutError } from '../cli-error.ts';
import type { Environment } from '../command-call.ts';
import { pause } from '../pause.ts';
import { ProxyAgent } from './proxy-agent.ts';
import { proxyFor } from './proxy-for.ts';
import { isTrustFault } from './trust-fault.ts';

export interface HttpsFetchOptions {
  readonly url: string;
  readonly authority: string | undefined;
  readonly environment: Environment;
  /** What the server says to whoever writes (`Warning` headers). */
  warn(text: string): void;
}

export interface HttpsFetch {
  readonly fetch: Fetch;
  close(): void;
}

const connectMilliseconds = 15_000;
/** From the request's end to the head of the answer. */
const answerMilliseconds = 60_000;
const tries = 4;
const longestPause = 10_000;

/**
 * `fetch` with the server's own authority and the user's proxy, over Node's HTTPS client: a third of the time of a start
 * would otherwise go into loading a larger one.
 */
export function httpsFetch(options: HttpsFetchOptions): HttpsFetch {
  const trust = { keepAlive: true, ...(options.authority === undefined ? {} : { ca: options.authority }) };
  const proxy = proxyFor(new URL(options.url), options.environment);
  const agent = proxy === undefined ? new Agent(trust) : new ProxyAgent(proxy, trust);
  const fetch: Fetch = async (url, init) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(agent, options, url, init);
      if (response.statusCode !== 429 || attempt === tries) return fetched(response, options, init.signal);
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
    const asking = request(url, {
      agent,
      method: init.method,
      headers: {
        ...init.headers,
        'User-Agent': `flotilla/${programVersion}`,
        // Node sends the length by itself, except for methods that usually have no body.
        ...(init.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(init.body) }),
      },
    });
    let isConnected = false;
    let timer = setTimeout(() => asking.destroy(timeoutOf(options.url, isConnected)), connectMilliseconds);
    const onAbort = () => asking.destroy(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const done = () => clearTimeout(timer);
    const waitForAnswer = () => {
      isConnected = true;
      clearTimeout(timer);
      timer = setTimeout(() => asking.destroy(timeoutOf(options.url, true)), answerMilliseconds);
    };
    asking.once('socket', (socket) => {
      if (socket.connecting) socket.once('secureConnect', waitForAnswer);
      else waitForAnswer();
    });
    asking.once('response', (response) => {
      done();
      response.once('close', () => signal?.removeEventListener('abort', onAbort));
      resolve(response);
    });
    asking.once('error', (error) => {
      done();
      signal?.removeEventListener('abort', onAbort);
      reject(signal?.aborted ? signal.reason : unreachable(options.url, error));
    });
    asking.end(init.body);
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

/** A stream that breaks says why: because it was wanted, or because the server is gone. */
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

/** `299 - "what the server says"`, as Kubernetes writes it. */
function warningsIn({ headers }: IncomingMessage): string[] {
  return [...(headers.warning ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, said = '']) =>
    said.replaceAll(/\\(.)/g, '$1'),
  );
}

function timeoutOf(url: string, isConnected: boolean): CliError {
  return timeoutError(isConnected ? `${url} does not answer` : `no connection to ${url} could be made in time`);
}

function unreachable(url: string, error: Error): CliError {
  if (error instanceof CliError) return error;
  const code = errorCode(error);
  if (isTrustFault(code)) {
    return new CliError(`the certificate of ${url} is not trusted (${code})`, {
      next: `run: flotilla login ${url}, which shows it, or give its CA with --ca-file or FLOTILLA_CA_FILE`,
      cause: error,
    });
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const next = 'use an address that the certificate names, or start the server with --tls-san';
    return new CliError(`the certificate of ${url} is for another name`, { next, cause: error });
  }
  if (code?.startsWith('CERT_')) {
    return new CliError(`the certificate of ${url} cannot be used (${code})`, { cause: error });
  }
  const next = 'check the address, and whether the server runs';
  return new CliError(`no server answers at ${url} (${code ?? error.message})`, { next, cause: error });
}
