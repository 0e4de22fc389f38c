import { X509Certificate } from 'node:crypto';
import type { Kubeconfig } from '../../api/kubeconfig.ts';
import { parseTrustedJson } from '../../lib/json-parse.ts';
import { numberAt } from '../../lib/json-path.ts';

export interface CredentialEnd {
  readonly what: 'client certificate' | 'token';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** When the first of the credentials ends, as far as they say so themselves; undefined: they do not. */
export function credentialEnd({ clientCertificate, token }: Kubeconfig): CredentialEnd | undefined {
  const ends: CredentialEnd[] = [];
  const certificate = clientCertificate === undefined ? undefined : certificateEnd(clientCertificate);
  if (certificate !== undefined) ends.push({ what: 'client certificate', at: certificate });
  const expiry = token === undefined ? undefined : tokenEnd(token);
  if (expiry !== undefined) ends.push({ what: 'token', at: expiry });
  return ends.sort((a, b) => a.at - b.at)[0];
}

function certificateEnd(pem: string): number | undefined {
  try {
    const end = Date.parse(new X509Certificate(pem).validTo);
    return Number.isNaN(end) ? undefined : end;
  } catch {
    // Whoever connects with it is told.
    return undefined;
  }
}

/** Tokens of service accounts and of most identity providers are JSON Web Tokens; others do not say when they end. */
function tokenEnd(token: string): number | undefined {
  const [, claims, signature] = token.split('.');
  if (claims === undefined || signature === undefined) return undefined;
  try {
    const seconds = numberAt(parseTrustedJson(Buffer.from(claims, 'base64url').toString('utf8')), 'exp');
    return seconds === undefined ? undefined : seconds * 1000;
  } catch {
    return undefined;
  }
}
