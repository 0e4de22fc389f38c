import { isJsonObject, type JsonObject } from '@flotilla/json';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { signedScopes } from '../api/management/v1/scope.ts';
import { type DirectTokenClaims, directTokenAudience, tokenAlgorithm } from './direct-token.ts';

export interface VerifyDirectTokenOptions {
  /**
   * The response of `/auth/jwks`. Pass the same object as long as the keys do not change, so that it is parsed once.
   */
  readonly keys: JSONWebKeySet;
  /** The ID of the installation whose tokens are accepted. */
  readonly issuer: string;
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  /** The tolerated difference between the clocks of issuer and verifier. Optional; defaults to 0. */
  readonly toleranceSeconds?: number;
}

/**
 * The reason why a token was rejected. `unknown-key`: the installation may have a new signing key, so fetch its keys
 * again, with a rate limit. `expired`: the token was valid before. `invalid`: any other cause.
 */
export type DirectTokenRefusal = 'unknown-key' | 'expired' | 'invalid';

export type VerifiedDirectToken =
  | { readonly claims: DirectTokenClaims }
  | { readonly claims?: undefined; readonly refusal: DirectTokenRefusal };

/** Maximum length of a token. Longer than any issued token. Checked before decoding. */
export const maxDirectTokenLength = 32 * 1024;

const keySets = new WeakMap<JSONWebKeySet, ReturnType<typeof createLocalJWKSet>>();

/**
 * Verifies that a token is an unexpired direct-endpoint token of this installation. The caller must check whether the
 * access key, user and groups of the token are still valid.
 */
export async function verifyDirectToken(
  token: string,
  options: VerifyDirectTokenOptions,
): Promise<VerifiedDirectToken> {
  if (token.length > maxDirectTokenLength) return { refusal: 'invalid' };
  let keySet = keySets.get(options.keys);
  if (keySet === undefined) {
    keySet = createLocalJWKSet(options.keys);
    keySets.set(options.keys, keySet);
  }
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      algorithms: [tokenAlgorithm],
      audience: directTokenAudience,
      issuer: options.issuer,
      currentDate: new Date(options.now),
      clockTolerance: options.toleranceSeconds ?? 0,
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
    });
    // Every token of this installation has a `kid`. Check this, because `jose` accepts a token without one if there is
    // only one key.
    const claims = protectedHeader.kid === undefined ? undefined : claimsIn(payload);
    return claims === undefined ? { refusal: 'invalid' } : { claims };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

function refusalOf(error: unknown): DirectTokenRefusal {
  if (error instanceof errors.JWTExpired) return 'expired';
  return error instanceof errors.JWKSNoMatchingKey ? 'unknown-key' : 'invalid';
}

function claimsIn(payload: JWTPayload): DirectTokenClaims | undefined {
  const { iss, sub, iat, exp, jti, groups, accessKey, ...more } = payload as JWTPayload & JsonObject;
  if (iss === undefined || sub === undefined || iat === undefined || exp === undefined || jti === undefined) {
    return undefined;
  }
  const scopes = signedScopes(more.scopes);
  if (sub === '' || !isStringArray(groups) || scopes === undefined) return undefined;
  if (!isJsonObject(accessKey)) return undefined;
  const { name, uid, mark } = accessKey;
  if (typeof name !== 'string' || typeof uid !== 'string' || typeof mark !== 'string') return undefined;
  return {
    issuer: iss,
    subject: sub,
    groups,
    scopes,
    accessKey: { name, uid, mark },
    issuedAt: iat,
    expiresAt: exp,
    id: jti,
  };
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
