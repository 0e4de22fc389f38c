import { StatusError, serviceUnavailable } from '../../../api/status.ts';

/** The machine-readable cause of a missing response. */
export type NoResponseReason =
  | 'Refused'
  | 'NameNotFound'
  | 'NoRoute'
  | 'TooSlow'
  | 'CertificateExpired'
  | 'CertificateNotTrusted'
  | 'TlsFailed'
  | 'ClientCertificateRefused'
  | 'CredentialsRefused'
  | 'ProxyRefused'
  | 'ServerDenied'
  | 'ConnectionEnded'
  | 'Unreachable';

/** Thrown with 503 if a server does not respond. The message is for administrators and never contains a credential. */
export class NoResponseError extends StatusError {
  readonly why: NoResponseReason;

  constructor(why: NoResponseReason, message: string) {
    super(serviceUnavailable(message).status);
    this.name = 'NoAnswerError';
    this.why = why;
  }
}

export interface ConnectionTarget {
  /** The host and port that did not respond. */
  readonly where: string;
  /** The timeout of the attempt, in milliseconds. The message of a timeout error contains it. */
  readonly timeout: number;
}

/**
 * Converts a connection error to a StatusError. Uses only the code of the error, because its message may quote the
 * request including credentials.
 */
export function toNoResponseError(error: unknown, { where, timeout }: ConnectionTarget): StatusError {
  if (error instanceof StatusError) return error;
  const [why, message] = reasonFor(networkErrorCode(error), timeout);
  return new NoResponseError(why, `${where} ${message}`);
}

const reasonsByCode: Readonly<Record<string, readonly [NoResponseReason, string]>> = {
  ECONNREFUSED: ['Refused', 'refused the connection: nothing is listening there'],
  ENOTFOUND: ['NameNotFound', 'cannot be found: its name does not resolve'],
  EAI_AGAIN: ['NameNotFound', 'cannot be found: its name does not resolve'],
  EHOSTUNREACH: ['NoRoute', 'cannot be reached: there is no route to its network'],
  ENETUNREACH: ['NoRoute', 'cannot be reached: there is no route to its network'],
  EADDRNOTAVAIL: ['NoRoute', 'cannot be reached: there is no route to its network'],
  CERT_HAS_EXPIRED: ['CertificateExpired', 'presents a certificate that has expired'],
  CERT_NOT_YET_VALID: ['CertificateExpired', 'presents a certificate that is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['CertificateNotTrusted', 'presents a certificate for a different name'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['TlsFailed', 'does not speak TLS'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['TlsFailed', 'does not speak TLS'],
  EPROTO: ['TlsFailed', 'does not speak TLS'],
  EADDRDENIED: [
    'ServerDenied',
    'is not used, because its address is in a range of the setting hosts.deniedCIDRs, such as loopback and link-local addresses',
  ],
  EMFILE: ['Unreachable', 'cannot be connected to: this server has no file handles left'],
  ENFILE: ['Unreachable', 'cannot be connected to: this server has no file handles left'],
};

const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|CERT_SIGNATURE|CERT_UNTRUSTED|INVALID_CA)/;

function reasonFor(code: string, timeout: number): readonly [NoResponseReason, string] {
  const known = reasonsByCode[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT') return ['TooSlow', `did not accept a connection within ${timeout / 1000} s`];
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return ['TooSlow', `did not respond within ${timeout / 1000} s`];
  if (untrusted.test(code)) {
    return ['CertificateNotTrusted', 'presents a certificate that is not signed by the certificate authority'];
  }
  // The server sent a TLS alert about the client certificate.
  if (/^ERR_SSL_.*(?:CERTIFICATE|UNKNOWN_CA)/.test(code)) {
    return ['ClientCertificateRefused', 'rejected the client certificate'];
  }
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return ['TlsFailed', `failed the TLS handshake (${code})`];
  if (/^HPE_/.test(code)) return ['Unreachable', 'does not speak HTTP/1.1'];
  if (code === '' || /^UND_ERR_|^ECONN|^EPIPE$/.test(code)) {
    return ['ConnectionEnded', 'closed the connection without a response'];
  }
  return ['Unreachable', `cannot be reached (${code})`];
}

export function networkErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code;
  // All addresses of the host name failed. Return the code of the first error.
  if (error instanceof AggregateError && error.errors.length > 0) return networkErrorCode(error.errors[0]);
  return error.cause === undefined ? '' : networkErrorCode(error.cause);
}
