import { StatusError, serviceUnavailable } from '../../api/status.ts';

/** Why no answer came, as a word for programs. */
export type NoAnswerReason =
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
  | 'ConnectionEnded'
  | 'Unreachable';

/** No answer came from a server: 503, in words for whoever has to mend it. They never hold a credential. */
export class NoAnswerError extends StatusError {
  readonly why: NoAnswerReason;

  constructor(why: NoAnswerReason, message: string) {
    super(serviceUnavailable(message).status);
    this.name = 'NoAnswerError';
    this.why = why;
  }
}

export interface Sought {
  /** The host and port that did not answer. */
  readonly where: string;
  /** Milliseconds that were waited. */
  readonly timeout: number;
}

/** Made from the error's code alone, as texts of errors quote what was sent. */
export function noAnswer(error: unknown, { where, timeout }: Sought): StatusError {
  if (error instanceof StatusError) return error;
  const [why, words] = reading(codeOf(error), timeout);
  return new NoAnswerError(why, `${where} ${words}`);
}

const readings: Readonly<Record<string, readonly [NoAnswerReason, string]>> = {
  ECONNREFUSED: ['Refused', 'refuses connections: nothing listens there'],
  ENOTFOUND: ['NameNotFound', 'cannot be found: its name does not resolve'],
  EAI_AGAIN: ['NameNotFound', 'cannot be found: its name does not resolve'],
  EHOSTUNREACH: ['NoRoute', 'cannot be reached: there is no way to its network'],
  ENETUNREACH: ['NoRoute', 'cannot be reached: there is no way to its network'],
  EADDRNOTAVAIL: ['NoRoute', 'cannot be reached: there is no way to its network'],
  CERT_HAS_EXPIRED: ['CertificateExpired', 'shows a certificate that has expired'],
  CERT_NOT_YET_VALID: ['CertificateExpired', 'shows a certificate that is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['CertificateNotTrusted', 'shows a certificate that is for another name'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['TlsFailed', 'does not speak TLS'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['TlsFailed', 'does not speak TLS'],
  EPROTO: ['TlsFailed', 'does not speak TLS'],
  EMFILE: ['Unreachable', 'cannot be connected to: this server has no file handles left'],
  ENFILE: ['Unreachable', 'cannot be connected to: this server has no file handles left'],
};

const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|CERT_SIGNATURE|CERT_UNTRUSTED|INVALID_CA)/;

function reading(code: string, timeout: number): readonly [NoAnswerReason, string] {
  const known = readings[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT') return ['TooSlow', `cannot be connected to within ${timeout / 1000} s`];
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return ['TooSlow', `has not answered within ${timeout / 1000} s`];
  if (untrusted.test(code)) {
    return ['CertificateNotTrusted', 'shows a certificate that the certificate authority did not sign'];
  }
  // What the other side says about the certificate that it was shown.
  if (/^ERR_SSL_.*(?:CERTIFICATE|UNKNOWN_CA)/.test(code)) {
    return ['ClientCertificateRefused', 'does not accept the client certificate'];
  }
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return ['TlsFailed', `cannot be talked to in TLS (${code})`];
  if (/^HPE_/.test(code)) return ['Unreachable', 'does not speak HTTP/1.1'];
  if (code === '' || /^UND_ERR_|^ECONN|^EPIPE$/.test(code)) {
    return ['ConnectionEnded', 'has ended the connection without an answer'];
  }
  return ['Unreachable', `cannot be reached (${code})`];
}

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code;
  // Several addresses were tried, each with an error of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error.cause === undefined ? '' : codeOf(error.cause);
}
