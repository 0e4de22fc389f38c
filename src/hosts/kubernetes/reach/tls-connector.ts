import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect,
  createSecureContext,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import { badRequest } from '../../../api/status.ts';

/** The certificates that a connection presents and accepts. */
export interface TlsConnectorOptions {
  /** PEM. Optional; defaults to the well-known authorities. */
  readonly certificateAuthority?: string | undefined;
  /** The name or address that the server's certificate must be for. */
  readonly name: string;
  /** Further acceptable names. */
  readonly otherNames?: readonly string[];
  readonly insecure?: boolean | undefined;
  /** PEM; both or neither. */
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
}

/** Wraps byte streams in TLS. Throws StatusError 400 if the certificates or keys are unusable. */
export function createTlsConnector(tls: TlsConnectorOptions): (carrier: Duplex) => TLSSocket {
  const options: ConnectionOptions = {
    secureContext: contextOf(tls),
    rejectUnauthorized: tls.insecure !== true,
    // Used for certificate checks; the SNI extension must not carry an IP address.
    host: tls.name,
    checkServerIdentity: (_, certificate) => identityError([tls.name, ...(tls.otherNames ?? [])], certificate),
    ALPNProtocols: ['http/1.1'],
    ...(isIP(tls.name) === 0 ? { servername: tls.name } : {}),
  };
  let session: Buffer | undefined;
  return (carrier) => {
    const secured = connect({ ...options, socket: carrier, ...(session === undefined ? {} : { session }) });
    // Session resumption saves most of the cost of the next handshake.
    secured.on('session', (ticket: Buffer) => {
      session = ticket;
    });
    secured.once('error', () => {
      session = undefined;
    });
    return secured;
  };
}

function identityError(names: readonly string[], certificate: PeerCertificate): Error | undefined {
  const errors = names.map((name) => checkServerIdentity(name, certificate));
  return errors.includes(undefined) ? undefined : errors[0];
}

function contextOf({ certificateAuthority, clientCertificate, clientKey }: TlsConnectorOptions) {
  try {
    // `createSecureContext` accepts any text as authorities and then trusts none.
    if (certificateAuthority !== undefined) void new X509Certificate(certificateAuthority);
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
      ...(clientKey === undefined ? {} : { key: clientKey }),
    });
  } catch {
    // OpenSSL's error messages do not help a user who cannot see the certificates.
    throw badRequest(
      clientCertificate === undefined
        ? 'the certificate authority cannot be read'
        : 'the certificate authority, the client certificate or its key cannot be read, or the key does not match the certificate',
    );
  }
}
