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
import { badRequest } from '../../api/status.ts';

/** What a connection has to show, and to be shown. */
export interface TlsTerms {
  /** PEM; absent: the well-known authorities. */
  readonly certificateAuthority?: string | undefined;
  /** Whose certificate it has to be: a name or an address. */
  readonly name: string;
  /** Or one of these. */
  readonly otherNames?: readonly string[];
  readonly insecure?: boolean | undefined;
  /** PEM, both or neither. */
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
}

/** TLS on whatever carries bytes. Throws StatusError 400 where certificates or keys are of no use. */
export function tlsOver(terms: TlsTerms): (carrier: Duplex) => TLSSocket {
  const options: ConnectionOptions = {
    secureContext: contextOf(terms),
    rejectUnauthorized: terms.insecure !== true,
    // Looked at when the certificate is checked; the extension that asks for a name must not carry an address.
    host: terms.name,
    checkServerIdentity: (_, certificate) => identityFault([terms.name, ...(terms.otherNames ?? [])], certificate),
    ALPNProtocols: ['http/1.1'],
    ...(isIP(terms.name) === 0 ? { servername: terms.name } : {}),
  };
  let session: Buffer | undefined;
  return (carrier) => {
    const secured = connect({ ...options, socket: carrier, ...(session === undefined ? {} : { session }) });
    // The next connection need not prove everything anew, which is most of what it costs.
    secured.on('session', (ticket: Buffer) => {
      session = ticket;
    });
    secured.once('error', () => {
      session = undefined;
    });
    return secured;
  };
}

function identityFault(names: readonly string[], certificate: PeerCertificate): Error | undefined {
  const faults = names.map((name) => checkServerIdentity(name, certificate));
  return faults.includes(undefined) ? undefined : faults[0];
}

function contextOf({ certificateAuthority, clientCertificate, clientKey }: TlsTerms) {
  try {
    // A context takes whatever it is given for authorities, and trusts none then.
    if (certificateAuthority !== undefined) void new X509Certificate(certificateAuthority);
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
      ...(clientKey === undefined ? {} : { key: clientKey }),
    });
  } catch {
    // What OpenSSL says of them helps nobody who cannot see them.
    throw badRequest(
      clientCertificate === undefined
        ? 'the certificate authority cannot be read'
        : 'the certificate authority, the client certificate or its key cannot be read, or the key is not that of the certificate',
    );
  }
}
