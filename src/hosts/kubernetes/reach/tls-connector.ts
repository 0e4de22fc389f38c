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

/** The certificates that a TLS client presents and accepts. */
export interface TlsConnectorOptions {
  /** The certificate authorities to trust, as PEM. Optional; defaults to the well-known authorities. */
  readonly certificateAuthority?: string | undefined;
  /** The DNS name or IP address that the server's certificate must contain. */
  readonly name: string;
  /** Further names. The server's certificate is accepted if it is valid for `name` or for one of these. */
  readonly otherNames?: readonly string[];
  readonly insecure?: boolean | undefined;
  /** The client certificate and its key, as PEM. Either both or neither are present. */
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
}

/**
 * Returns a function that starts TLS on a byte stream. Throws StatusError 400 if the certificates or keys are unusable.
 */
export function createTlsConnector(tls: TlsConnectorOptions): (carrier: Duplex) => TLSSocket {
  const options: ConnectionOptions = {
    secureContext: contextOf(tls),
    rejectUnauthorized: tls.insecure !== true,
    // `host` is used only to check the certificate. `servername` is set only for a DNS name, because SNI forbids
    // addresses.
    host: tls.name,
    checkServerIdentity: (_, certificate) => identityError([tls.name, ...(tls.otherNames ?? [])], certificate),
    ALPNProtocols: ['http/1.1'],
    ...(isIP(tls.name) === 0 ? { servername: tls.name } : {}),
  };
  let session: Buffer | undefined;
  return (carrier) => {
    const secured = connect({ ...options, socket: carrier, ...(session === undefined ? {} : { session }) });
    // With the session ticket, the next connection can resume the TLS session and save most of the handshake.
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
    // Parse the authorities first, because `createSecureContext` accepts any text and would then trust no server.
    if (certificateAuthority !== undefined) void new X509Certificate(certificateAuthority);
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
      ...(clientKey === undefined ? {} : { key: clientKey }),
    });
  } catch {
    // The message of OpenSSL is not included, because it does not say which of the certificates is wrong.
    throw badRequest(
      clientCertificate === undefined
        ? 'the certificate authority cannot be read'
        : 'the certificate authority, the client certificate or its key cannot be read, or the key does not match the certificate',
    );
  }
}
