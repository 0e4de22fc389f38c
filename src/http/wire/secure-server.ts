import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import type { ListenLimits } from './listen-limits.ts';

/** The certificate of a server and its key, in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Prefers the 128-bit cipher, as Go's servers and browsers do: it saves a client of a busy watch a twelfth of its CPU
 * time, and this server a twentieth.
 */
const ciphers = ['TLS_AES_128_GCM_SHA256', ...DEFAULT_CIPHERS.split(':')].join(':');

/**
 * No client certificates are requested. Without `ca`, Node loads every known CA, which takes a tenth of the startup.
 */
const tlsOptions: SecureContextOptions = { minVersion: 'TLSv1.2', ca: [], ciphers };

/** Creates a server for HTTP/1.1 and HTTP/2 with these limits. It has no listeners and no port yet. */
export function secureServer({ cert, key }: ServingCertificate, limits: ListenLimits): Http2SecureServer {
  const server = createSecureServer({
    allowHTTP1: true,
    ...tlsOptions,
    cert,
    key,
    handshakeTimeout: limits.handshakeMilliseconds,
    // Otherwise the first response on a connection waits until the client's kernel acknowledges the session tickets.
    noDelay: true,
    settings: { maxConcurrentStreams: limits.streamsPerSession, maxHeaderListSize: limits.headerBytes },
    maxSessionInvalidFrames: 100,
    // In megabytes. A few hundred streams exceed Node's default of 10, and the session then refuses new streams.
    maxSessionMemory: 128,
  });
  // The typings lack these, but an HTTP/2 server that allows HTTP/1.1 reads them as an HTTP/1.1 server does.
  Object.assign(server, {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    requireHostHeader: false,
  });
  return server;
}

/** Uses a new certificate for new connections. */
export function useCertificate(server: Http2SecureServer, { cert, key }: ServingCertificate): void {
  server.setSecureContext({ ...tlsOptions, cert, key });
}
