import { describe, expect, it } from 'vitest';
import { type CredentialExpiry, credentialExpiry } from './credential-expiry.ts';

const server = 'https://a';
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: object) => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.c2lnbmF0dXJl`;

/** A self-signed certificate without its key. */
const clientCertificate = `-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUbKYEylbA8548UpSS5GgjFAPItf4wCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGdGVzdGVyMB4XDTI2MTExNTEyMTYwMVoXDTMwMTIyNDEyMTYw
MVowETEPMA0GA1UEAwwGdGVzdGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
c2I8Vaewbgvq/aKIAai2wzEqJXZxRUwFsXdfvJrazxh0m7d3fiSrD7QSQ9vEQVhi
5Mc8Cly3W/F5dXOK6qI6+aNTMFEwHQYDVR0OBBYEFGCiklQhbUs89nHxGtVxii+B
dPrGMB8GA1UdIwQYMBaAFGCiklQhbUs89nHxGtVxii+BdPrGMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgNt4/Py1va/OM5mRFWy//BHOl/4HiF4KO
5jiUUnU5eyUCIQC0ibAGv6fAlmKbVKu1OxC9sj81iU9k6D0ywii2x4Dg6g==
-----END CERTIFICATE-----`;

describe('the expiry of credentials', () => {
  it('comes from tokens that are JSON Web Tokens', () => {
    expect(credentialExpiry({ server, token: token({ exp: 1_900_000_000 }) })).toEqual({
      credential: 'token',
      at: 1_900_000_000_000,
    } satisfies CredentialExpiry);
  });

  it.each(['abc', 'a.b', 'a.b.c', token({}), token({ exp: 'soon' })])('is unknown for the token %s', (text) => {
    expect(credentialExpiry({ server, token: text })).toBeUndefined();
  });

  it('comes from client certificates', () => {
    expect(credentialExpiry({ server, clientCertificate, clientKey: '' })).toEqual({
      credential: 'client certificate',
      at: Date.parse('2030-12-24T12:16:01Z'),
    } satisfies CredentialExpiry);
    expect(credentialExpiry({ server, clientCertificate: 'none', clientKey: '' })).toBeUndefined();
  });

  it('is the earliest of them', () => {
    const both = { server, clientCertificate, clientKey: '' };
    expect(credentialExpiry({ ...both, token: token({ exp: 1 }) })?.credential).toBe('token');
    expect(credentialExpiry({ ...both, token: token({ exp: 9_000_000_000 }) })?.credential).toBe('client certificate');
  });
});
