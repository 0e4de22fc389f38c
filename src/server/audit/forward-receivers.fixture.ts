import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { CertificatePair } from '../../process/certificates.ts';

export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A real TLS server that receives audit lines. It can be closed and opened again on the same port. */
export interface Receiver {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a webhook. `respond` returns the status code; with `undefined`, the webhook never responds. */
export async function startWebhook(
  pair: CertificatePair,
  port: number,
  respond: (request: ReceivedRequest) => number | undefined,
): Promise<Receiver> {
  const server = createHttpsServer(pair, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = respond({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (status !== undefined) response.writeHead(status).end('details that nobody logs');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Starts a syslog server. `received` gets the bytes of each connection that the client has ended. With `allowHalfOpen`,
 * the server never closes a connection.
 */
export async function startSyslog(
  pair: CertificatePair,
  port: number,
  received: (bytes: Buffer) => void,
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ ...pair, ...options }, (socket) => {
    const chunks: Buffer[] = [];
    sockets.add(socket);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => received(Buffer.concat(chunks)));
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
