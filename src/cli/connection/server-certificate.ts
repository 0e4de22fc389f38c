import { X509Certificate } from 'node:crypto';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, timeoutError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { connectThroughProxy } from './proxy-agent.ts';
import { proxyFor } from './proxy-for.ts';
import { isTrustError } from './trust-error.ts';

/** The result of checking whether the certificate of a server is trusted. */
export type ServerCertificateTrust =
  /** The certificate is signed by a CA that the operating system trusts. */
  | { readonly trusted: true }
  /**
   * The certificate is not trusted. `authority` is the CA that signed it; `undefined` if the server did not send it.
   */
  | { readonly trusted: false; readonly authority: ServerCertificateAuthority | undefined };

export interface ServerCertificateAuthority {
  readonly pem: string;
  /** The fingerprint as `SHA256:` and hexadecimal pairs. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly validTo: string;
}

const handshakeMilliseconds = 15_000;

/** Opens a TLS connection to inspect the certificate of a server. Sends no request and no credential. */
export async function checkServerCertificate(url: string, environment: Environment): Promise<ServerCertificateTrust> {
  const socket = await handshake(new URL(url), environment);
  try {
    if (socket.authorized) return { trusted: true };
    const code =
      typeof socket.authorizationError === 'string' ? socket.authorizationError : errorCode(socket.authorizationError);
    if (!isTrustError(code)) throw new CliError(`the certificate of ${url} is invalid (${code ?? 'unknown error'})`);
    const root = lastOf(socket.getPeerCertificate(true));
    return { trusted: false, authority: root === undefined ? undefined : described(root) };
  } finally {
    socket.destroy();
  }
}

/** Formats a fingerprint as `openssl x509 -fingerprint -sha256` does, with the prefix `SHA256:`, as ssh does. */
export function fingerprintOf(certificate: X509Certificate): string {
  return `SHA256:${certificate.fingerprint256}`;
}

function handshake(url: URL, environment: Environment): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || 443);
  const proxy = proxyFor(url, environment);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(timeoutError(`connection to ${url.origin} timed out`)), handshakeMilliseconds);
    const fail = (error: Error) => {
      clearTimeout(timer);
      const next = 'check the address and whether the server is running';
      const why = errorCode(error) ?? error.message;
      reject(
        error instanceof CliError
          ? error
          : new CliError(`cannot reach the server at ${url.origin} (${why})`, { next, cause: error }),
      );
    };
    const onSocket = (socket: TLSSocket) => {
      socket.once('error', fail);
      socket.once('secureConnect', () => {
        clearTimeout(timer);
        resolve(socket);
      });
    };
    const options = { host, port, rejectUnauthorized: false, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) };
    if (proxy === undefined) onSocket(connect(options));
    else connectThroughProxy(proxy, options).then(onSocket, fail);
  });
}

/** Returns the self-signed root certificate of the chain; `undefined` if the server did not send it. */
function lastOf(first: DetailedPeerCertificate): X509Certificate | undefined {
  const seen = new Set<string>();
  let certificate = first;
  while (certificate.issuerCertificate !== undefined && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256);
    if (certificate.issuerCertificate.fingerprint256 === certificate.fingerprint256) break;
    certificate = certificate.issuerCertificate;
  }
  if (certificate.raw === undefined) return undefined;
  const last = new X509Certificate(certificate.raw);
  return last.subject === last.issuer && last.verify(last.publicKey) ? last : undefined;
}

function described(certificate: X509Certificate): ServerCertificateAuthority {
  return {
    pem: certificate.toString(),
    fingerprint: fingerprintOf(certificate),
    subject: certificate.subject.replaceAll('\n', ', '),
    validTo: certificate.validTo,
  };
}
