import { expect, test } from 'vitest';
import { badRequest } from '../../api/status.ts';
import { NoAnswerError, noAnswer } from './no-answer.ts';

const sought = { where: 'host:6443', timeout: 10_000 };
const failing = (code: string) => Object.assign(new Error('Bearer sesame'), { code });

test.each([
  ['ECONNREFUSED', 'Refused', 'refuses connections: nothing listens there'],
  ['ENOTFOUND', 'NameNotFound', 'cannot be found: its name does not resolve'],
  ['EHOSTUNREACH', 'NoRoute', 'cannot be reached: there is no way to its network'],
  ['ETIMEDOUT', 'TooSlow', 'cannot be connected to within 10 s'],
  ['UND_ERR_HEADERS_TIMEOUT', 'TooSlow', 'has not answered within 10 s'],
  ['CERT_HAS_EXPIRED', 'CertificateExpired', 'shows a certificate that has expired'],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CertificateNotTrusted',
    'shows a certificate that the certificate authority did not sign',
  ],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ClientCertificateRefused', 'does not accept the client certificate'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'ClientCertificateRefused', 'does not accept the client certificate'],
  ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', 'TlsFailed', 'cannot be talked to in TLS (ERR_SSL_NO_PROTOCOLS_AVAILABLE)'],
  ['HPE_INVALID_CONSTANT', 'Unreachable', 'does not speak HTTP/1.1'],
  ['UND_ERR_SOCKET', 'ConnectionEnded', 'has ended the connection without an answer'],
  ['EACCES', 'Unreachable', 'cannot be reached (EACCES)'],
])('%s is said in words, and nothing of the error but its code', (code, why, words) => {
  expect(noAnswer(failing(code), sought)).toMatchObject({ code: 503, why, message: `host:6443 ${words}` });
});

test('the first of several addresses, and what is behind an error, say why', () => {
  const several = new AggregateError([failing('ECONNREFUSED'), failing('ENETUNREACH')]);
  expect(noAnswer(several, sought)).toMatchObject({ why: 'Refused' });
  expect(noAnswer(new Error('x', { cause: failing('EAI_AGAIN') }), sought)).toMatchObject({ why: 'NameNotFound' });
  expect(noAnswer('text', sought)).toMatchObject({ why: 'ConnectionEnded' });
});

test('what is a StatusError already stays as it is', () => {
  const error = badRequest('no');
  expect(noAnswer(error, sought)).toBe(error);
  expect(new NoAnswerError('Refused', 'x').status).toMatchObject({
    kind: 'Status',
    reason: 'ServiceUnavailable',
    code: 503,
  });
});
