import { expect, test } from 'vitest';
import { badRequest } from '../../../api/status.ts';
import { NoResponseError, toNoResponseError } from './no-response.ts';

const sought = { where: 'host:6443', timeout: 10_000 };
const failing = (code: string) => Object.assign(new Error('Bearer sesame'), { code });

test.each([
  ['ECONNREFUSED', 'Refused', 'refused the connection: nothing is listening there'],
  ['ENOTFOUND', 'NameNotFound', 'cannot be found: its name does not resolve'],
  ['EHOSTUNREACH', 'NoRoute', 'cannot be reached: there is no route to its network'],
  ['ETIMEDOUT', 'TooSlow', 'did not accept a connection within 10 s'],
  ['UND_ERR_HEADERS_TIMEOUT', 'TooSlow', 'did not respond within 10 s'],
  ['CERT_HAS_EXPIRED', 'CertificateExpired', 'presents a certificate that has expired'],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CertificateNotTrusted',
    'presents a certificate that is not signed by the certificate authority',
  ],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ClientCertificateRefused', 'rejected the client certificate'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'ClientCertificateRefused', 'rejected the client certificate'],
  ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', 'TlsFailed', 'failed the TLS handshake (ERR_SSL_NO_PROTOCOLS_AVAILABLE)'],
  ['HPE_INVALID_CONSTANT', 'Unreachable', 'does not speak HTTP/1.1'],
  ['UND_ERR_SOCKET', 'ConnectionEnded', 'closed the connection without a response'],
  ['EACCES', 'Unreachable', 'cannot be reached (EACCES)'],
])('the error code %s gets a message that quotes nothing else of the error', (code, why, words) => {
  expect(toNoResponseError(failing(code), sought)).toMatchObject({ code: 503, why, message: `host:6443 ${words}` });
});

test('the reason comes from the first of several addresses or from the cause of the error', () => {
  const several = new AggregateError([failing('ECONNREFUSED'), failing('ENETUNREACH')]);
  expect(toNoResponseError(several, sought)).toMatchObject({ why: 'Refused' });
  expect(toNoResponseError(new Error('x', { cause: failing('EAI_AGAIN') }), sought)).toMatchObject({
    why: 'NameNotFound',
  });
  expect(toNoResponseError('text', sought)).toMatchObject({ why: 'ConnectionEnded' });
});

test('a StatusError is returned unchanged', () => {
  const error = badRequest('no');
  expect(toNoResponseError(error, sought)).toBe(error);
  expect(new NoResponseError('Refused', 'x').status).toMatchObject({
    kind: 'Status',
    reason: 'ServiceUnavailable',
    code: 503,
  });
});
