import { X509Certificate } from 'node:crypto';
import { numberAt, parseTrustedJson } from '@flotilla/json';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';

export interface CredentialExpiry {
  readonly credential: 'client certificate' | 'token';
  /** The time of expiry, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Returns the credential of a kubeconfig that expires first; `undefined` if none of its credentials has a known
 * expiry.
 */
export function credentialExpiry({ clientCertificate, token }: Kubeconfig): CredentialExpiry | undefined {
  const expiries: CredentialExpiry[] = [];
  const certificate = clientCertificate === undefined ? undefined : certificateExpiry(clientCertificate);
  if (certificate !== undefined) expiries.push({ credential: 'client certificate', at: certificate });
  const expiry = token === undefined ? undefined : tokenExpiry(token);
  if (expiry !== undefined) expiries.push({ credential: 'token', at: expiry });
  return expiries.sort((a, b) => a.at - b.at)[0];
}

function certificateExpiry(pem: string): number | undefined {
  try {
    const expiry = Date.parse(new X509Certificate(pem).validTo);
    return Number.isNaN(expiry) ? undefined : expiry;
  } catch {
    // The certificate cannot be parsed. Return no expiry, because the next connection attempt reports the error.
    return undefined;
  }
}

/**
 * Returns the expiry of a JSON Web Token; `undefined` for any other token. Service accounts and most identity providers
 * issue JSON Web Tokens.
 */
function tokenExpiry(token: string): number | undefined {
  const [, claims, signature] = token.split('.');
  if (claims === undefined || signature === undefined) return undefined;
  try {
    const seconds = numberAt(parseTrustedJson(Buffer.from(claims, 'base64url').toString('utf8')), 'exp');
    return seconds === undefined ? undefined : seconds * 1000;
  } catch {
    return undefined;
  }
}
