import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { auditPath } from '../../api/audit/audit-event.ts';
import { type AuditQuery, readAuditQuery } from '../../api/audit/audit-query.ts';
import {
  badRequest,
  forbiddenPath,
  methodNotAllowedOnPath,
  pathNotFound,
  StatusError,
  serviceUnavailable,
} from '../../api/status.ts';
import type { AuditSearchResult } from '../../audit/search-audit-log.ts';
import type { Log } from '../../lib/log.ts';
import { Semaphore } from '../../lib/queue/semaphore.ts';
import { StartError } from '../../process/start-error.ts';
import { describeListenError } from '../../process/start-listener.ts';
import type { PeerTls } from './peer-credentials.ts';
import { replicaOf } from './peer-names.ts';
import { writeSearchResult } from './search-result-text.ts';

export interface PeerListenerOptions {
  readonly host: string;
  /** The TCP port; 0 selects any free port. */
  readonly port: number;
  readonly tls: PeerTls;
  readonly log: Log;
  /** Searches the audit log of this server. */
  search(query: AuditQuery, signal: AbortSignal): Promise<AuditSearchResult>;
}

export interface PeerListener {
  readonly port: number;
  /** Sets the certificate for new connections. */
  updateTls(tls: PeerTls): void;
  close(): Promise<void>;
}

const maxConnections = 64;
/** Each search reads up to 16 MiB. Further searches wait. */
const maxSearches = 4;
const handshakeMilliseconds = 5_000;
const requestMilliseconds = 10_000;
/** A connection without any traffic is closed after this time. */
const idleMilliseconds = 30_000;

/**
 * Listens for requests of other replicas. A client needs the certificate of a replica, and can only search the audit log.
 * It is not the listener of the public API, because browsers would ask their users for certificates there.
 */
export async function startPeerListener(options: PeerListenerOptions): Promise<PeerListener> {
  const slots = new Semaphore(maxSearches, maxConnections);
  const server = createServer(
    { ...options.tls, requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMilliseconds },
    (request, response) => void serve(options, slots, request, response),
  );
  server.maxConnections = maxConnections;
  server.headersTimeout = handshakeMilliseconds;
  server.requestTimeout = requestMilliseconds;
  server.setTimeout(idleMilliseconds);
  server.on('tlsClientError', (error) => options.log.debug({ err: error }, 'refused a connection of another replica'));
  await bind(server, options);
  server.on('error', (error) => options.log.error({ err: error }, 'the listener for other replicas failed'));
  return {
    port: (server.address() as AddressInfo).port,
    updateTls: (tls) => server.setSecureContext(tls),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bind(server: Server, { host, port }: PeerListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) =>
      reject(
        new StartError(`--peer-listen: cannot listen on ${host}:${port}: ${describeListenError(error)}`, {
          cause: error,
        }),
      );
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

async function serve(
  options: PeerListenerOptions,
  slots: Semaphore,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const ended = new AbortController();
  response.once('close', () => ended.abort());
  response.on('error', (error) => options.log.debug({ err: error }, 'a request of another replica has ended'));
  try {
    const result = await searchFor(options, slots, request, ended.signal);
    send(response, 200, writeSearchResult(result));
  } catch (error) {
    if (ended.signal.aborted) return;
    if (error instanceof StatusError) {
      send(response, error.code, error.message);
      return;
    }
    options.log.error({ error }, 'a search of the audit log for another replica failed');
    send(response, 500, 'the search failed; see the log of the replica');
  }
}

async function searchFor(
  { search }: PeerListenerOptions,
  slots: Semaphore,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<AuditSearchResult> {
  const certificate = (request.socket as TLSSocket).getPeerX509Certificate();
  if (replicaOf(certificate?.subjectAltName) === undefined) {
    throw forbiddenPath('the client certificate is not that of a replica');
  }
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://replica');
  if (pathname !== auditPath) throw pathNotFound();
  if (request.method !== 'GET') throw methodNotAllowedOnPath();
  const { query, problems } = readAuditQuery(searchParams);
  if (problems.length > 0) throw badRequest(`the query is invalid: ${problems.join('; ')}`);
  if (slots.isFull) throw serviceUnavailable('too many searches are in progress; search again later');
  const release = await slots.acquire(signal);
  try {
    return await search(query, signal);
  } finally {
    release();
  }
}

function send(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(text);
}
