import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError, exitCodes } from '../../cli-error.ts';

/** Receives the redirect of the browser on a free port of the loopback interface. */
export interface LoopbackListener {
  readonly port: number;
  /** Resolves to the code of the redirect. Rejects if the user denied the login, or if `signal` is aborted. */
  readonly code: Promise<string>;
  close(): void;
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/**
 * Starts the listener. It ignores requests with another `state`, because any web page and any program on this machine
 * can send requests to the port. Only the right `state` proves that a request belongs to this login.
 */
export async function listenOnLoopback(state: string, signal: AbortSignal): Promise<LoopbackListener> {
  const received = deferred<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== '/callback') return respond(response, 404, 'Page not found');
    if (url.searchParams.get('state') !== state)
      return respond(response, 400, 'This page does not belong to the login that is waiting. Start the login again.');
    const code = url.searchParams.get('code') ?? '';
    if (code === '') {
      respond(response, 200, 'The login was denied. You can close this window.');
      received.reject(new CliError('the login was denied in the browser', { exitCode: exitCodes.refused }));
      return;
    }
    respond(response, 200, 'Return to the command line. You can close this window.');
    received.resolve(code);
  });
  const interrupt = () => received.reject(signal.reason);
  signal.addEventListener('abort', interrupt, { once: true });
  // Ignore a rejection here, because the caller may fail before it waits for the code.
  received.promise.catch(() => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    code: received.promise,
    close() {
      signal.removeEventListener('abort', interrupt);
      server.close();
      server.closeIdleConnections();
    },
  };
}

function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (reason: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  return { promise, resolve, reject };
}

function respond(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, headers);
  response.end(
    `<!doctype html><html lang="en"><head><title>Flotilla</title></head><body><main><h1>Flotilla</h1><p>${message}</p></main></body></html>\n`,
  );
}
