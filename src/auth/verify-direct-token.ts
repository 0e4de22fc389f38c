import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';
import { type DirectTokenClaims, directTokenAudience, tokenAlgorithm } from './direct-token.ts';

export interface VerifyDirectTokenOptions {
  /** What `/auth/jwks` answered. The same object as long as it is the same keys: they are unpacked once. */
  readonly keys: JSONWebKeySet;
  /** The installation whose tokens are taken. */
  readonly issuer: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How far the two clocks may be apart; none unless said. */
  readonly toleranceSeconds?: number;
}

/**
 * `unknown-key`: the installation may have a newer key, ask for its keys again, but not for every such token;
 * `expired`: it was good; `invalid`: it is none of ours, for whatever reason.
 */
export type DirectTokenRefusal = 'unknown-key' | 'expired' | 'invalid';

export type VerifiedDirectToken =
  | { readonly claims: DirectTokenClaims }
  | { readonly claims?: undefined; readonly refusal: DirectTokenRefusal };

/** Longer than any that is issued; nothing beyond it is ever decoded. */
export const longestDirectToken = 32 * 1024;

const keySets = new WeakMap<JSONWebKeySet, ReturnType<typeof createLocalJWKSet>>();

/**
 * Whether a token is one of this installation's for direct endpoints, still in its time. Whether its key, its user and
 * its groups still hold is for the caller to find out.
 */
export async function verifyDirectToken(
  token: string,
  options: VerifyDirectTokenOptions,
): Promise<VerifiedDirectToken> {
  if (token.length > longestDirectToken) return { refusal: 'invalid' };
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
    // Without a name any single key would do; every token of ours names its key.
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
  const { iss, sub, iat, exp, jti, groups, scopes, accessKey } = payload as JWTPayload & JsonObject;
  if (iss === undefined || sub === undefined || iat === undefined || exp === undefined || jti === undefined) {
    return undefined;
  }
  if (sub === '' || !isTexts(groups) || !Array.isArray(scopes) || !scopes.every(isJsonObject)) return undefined;
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

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
