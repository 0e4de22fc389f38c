import { isJsonObject, type JsonObject } from '@flotilla/json';
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { ProviderError } from '../oidc/connector.ts';
import { unverifiedClaims } from '../unverified-claims.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import type { WorkloadIssuer } from './workload-issuer.ts';

/** The maximum length of a token. Tokens of CI systems have about 2,000 characters. Checked before decoding. */
export const maxWorkloadTokenLength = 16 * 1024;
/** The tolerated difference between the clocks of the issuer and this server, in seconds. */
const clockTolerance = 60;
/** The maximum age of a token in seconds. Kubernetes replaces the tokens of pods after at most 24 hours. */
const maxTokenAge = 25 * 3600;
/**
 * The accepted signature algorithms. Only the issuer can create such signatures. A signature with a shared secret, or
 * no signature, proves nothing.
 */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** An issuer with its keys. */
export interface TrustedIssuer {
  readonly settings: WorkloadIssuer;
  readonly keys: Pick<IssuerKeys, 'current' | 'newer'>;
}

/** A verified token. */
export interface WorkloadToken {
  readonly issuer: WorkloadIssuer;
  readonly subject: string;
  readonly claims: JsonObject;
}

/**
 * The check that a token fails, as a sentence for the sender of the token. The sentence contains no contents of the
 * token except names.
 */
export interface FailedCheck {
  readonly failed: string;
}

/**
 * Verifies that a trusted issuer signed a token for this server, and that it is valid now. Rejects with a
 * `ProviderError` if the keys of the issuer cannot be loaded.
 */
export async function verifyWorkloadToken(
  token: string,
  issuers: ReadonlyMap<string, TrustedIssuer>,
  now: number,
): Promise<WorkloadToken | FailedCheck> {
  if (token.length > maxWorkloadTokenLength)
    return { failed: `the token is longer than ${maxWorkloadTokenLength} characters` };
  const unverified = unverifiedClaims(token);
  if (unverified === undefined) return { failed: 'the token is not a signed JSON Web Token' };
  const failed = headerFailure(token);
  if (failed !== undefined) return { failed };
  const issuer = typeof unverified.iss === 'string' ? issuers.get(unverified.iss) : undefined;
  if (issuer === undefined) return { failed: 'the issuer of the token (claim iss) is not trusted by this server' };
  try {
    const claims = await verifiedClaims(token, issuer, now);
    const subject = typeof claims.sub === 'string' ? claims.sub : '';
    if (subject === '') return { failed: 'the token has no subject (claim sub)' };
    return { issuer: issuer.settings, subject, claims };
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    // Web Crypto rejects with other errors if it cannot import a key, for example because the key is too short.
    return { failed: error instanceof errors.JOSEError ? failureOf(error) : unusableKey };
  }
}

function headerFailure(token: string): string | undefined {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    return 'the token is not a signed JSON Web Token';
  }
  if (!algorithms.includes(header.alg ?? ''))
    return `the signature algorithm of the token is not one of ${algorithms.join(', ')}`;
  // Requires a key ID. Without this check, `jose` would accept a token without one if the key set has only one key.
  return typeof header.kid === 'string' && header.kid !== '' ? undefined : 'the token names no key (header kid)';
}

async function verifiedClaims(token: string, { settings, keys }: TrustedIssuer, now: number): Promise<JsonObject> {
  const options = {
    algorithms,
    issuer: settings.issuer,
    audience: [...settings.audiences],
    clockTolerance,
    maxTokenAge,
    currentDate: new Date(now),
    requiredClaims: ['sub', 'iat', 'exp'],
  };
  const known = await keys.current();
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, known, options));
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    // Load the keys again, because the issuer may have a new key.
    const newer = await keys.newer();
    if (newer === known) throw error;
    ({ payload } = await jwtVerify(token, newer, options));
  }
  return isJsonObject(payload) ? payload : {};
}

const failedClaims: Readonly<Record<string, string>> = {
  iss: 'the issuer of the token (claim iss) is not trusted by this server',
  aud: 'the token is for another audience (claim aud)',
  nbf: 'the token is not valid yet (claim nbf)',
  iat: 'the token has no valid time of issue, or one in the future (claim iat)',
  exp: 'the token has no valid expiry (claim exp)',
  sub: 'the token has no subject (claim sub)',
};

const unusableKey = 'the token cannot be verified with the key that it names';

function failureOf(error: errors.JOSEError): string {
  // For a token that is older than `maxTokenAge`, `jose` also throws this error; its `claim` is then `iat`.
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? 'the token is older than 25 hours (claim iat)' : 'the token has expired (claim exp)';
  if (error instanceof errors.JWTClaimValidationFailed) return failedClaims[error.claim] ?? 'a claim is not valid';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the issuer has no key with the ID and algorithm of the token';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is not valid';
  return unusableKey;
}
