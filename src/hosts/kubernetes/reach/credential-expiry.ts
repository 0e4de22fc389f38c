import { X509Certificate } from 'node:crypto';
import { numberAt, parseTrustedJson } from '@flotilla/json';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';

export interface CredentialExpiry {
  readonly credential: 'client certificate' | 'token';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The earliest expiry among the credentials. `undefined` if none of them states one. */
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
    // A connection attempt with this certificate reports the problem.
    return undefined;
  }
}

/** Tokens of service accounts and of most identity providers are JSON Web Tokens; other tokens state no expiry. */
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
