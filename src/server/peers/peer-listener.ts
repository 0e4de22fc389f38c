import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type AuditVerification, auditVerifyPath } from '../../api/audit/audit-chain.ts';
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
import { tunnelProtocol } from '../../tunnel/tunnel-protocol.ts';
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
  /** Verifies the audit log of this server. */
  verify(signal: AbortSignal): Promise<AuditVerification>;
  /** Serves a tunnel of another replica. */
  serveTunnel(connection: Duplex): void;
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
 * Listens for requests of other replicas. A client needs the certificate of a replica. It can only search and verify
 * the audit log, and open tunnels to agents. This listener is separate from the public API, because a public listener
 * that accepts client certificates would make browsers ask their users for them.
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
  const tunnels = new Set<Duplex>();
  server.on('upgrade', (request, socket: Duplex) => acceptTunnel(options, request, socket, tunnels));
  await bind(server, options);
  server.on('error', (error) => options.log.error({ err: error }, 'the listener for other replicas failed'));
  return {
    port: (server.address() as AddressInfo).port,
    updateTls: (tls) => server.setSecureContext(tls),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const tunnel of tunnels) tunnel.destroy();
      }),
  };
}

/** Accepts a tunnel. The other replica sends nothing before it has received the response. */
function acceptTunnel(
  { serveTunnel }: PeerListenerOptions,
  request: IncomingMessage,
  socket: Duplex,
  tunnels: Set<Duplex>,
): void {
  tunnels.add(socket);
  socket.once('close', () => tunnels.delete(socket));
  socket.on('error', () => socket.destroy());
  if (!isReplica(request) || request.headers.upgrade !== tunnelProtocol) {
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    return;
  }
  (socket as TLSSocket).setTimeout(0);
  const head = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${tunnelProtocol}\r\n\r\n`;
  socket.write(head, () => {
    if (!socket.destroyed) serveTunnel(socket);
  });
}

function isReplica(request: IncomingMessage): boolean {
  const certificate = (request.socket as TLSSocket).getPeerX509Certificate();
  return replicaOf(certificate?.subjectAltName) !== undefined;
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
    send(response, 200, await respond(options, slots, request, ended.signal));
  } catch (error) {
    if (ended.signal.aborted) return;
    if (error instanceof StatusError) {
      send(response, error.code, error.message);
      return;
    }
    options.log.error({ error }, 'a request of another replica for the audit log failed');
    send(response, 500, 'the search failed; see the log of the replica');
  }
}

async function respond(
  options: PeerListenerOptions,
  slots: Semaphore,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<string> {
  if (!isReplica(request)) {
    throw forbiddenPath('the client certificate is not that of a replica');
  }
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://replica');
  if (pathname !== auditPath && pathname !== auditVerifyPath) throw pathNotFound();
  if (request.method !== 'GET') throw methodNotAllowedOnPath();
  const { query, problems } = readAuditQuery(searchParams);
  if (problems.length > 0) throw badRequest(`the query is invalid: ${problems.join('; ')}`);
  if (slots.isFull) throw serviceUnavailable('too many searches are in progress; search again later');
  const release = await slots.acquire(signal);
  try {
    if (pathname === auditPath) return writeSearchResult(await options.search(query, signal));
    // Disables the timeout: a verification reads the whole log, and no data is sent until it ends.
    request.socket.setTimeout(0);
    return JSON.stringify(await options.verify(signal));
  } finally {
    release();
  }
}

function send(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(text);
}
