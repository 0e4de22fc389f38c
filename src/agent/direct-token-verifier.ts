import { hash, randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import type { DirectTokenClaims } from '../auth/direct-token.ts';
import { maxDirectTokenLength, verifyDirectToken } from '../auth/verify-direct-token.ts';
import type { Clock } from '../lib/clock.ts';

export interface DirectTokenVerifierOptions {
  /** The public keys of the installation: the same object while they are unchanged. */
  keys(): JSONWebKeySet;
  issuer(): string;
  readonly clock: Clock;
}

/** Maximum number of cached tokens: verifying a signature takes longer than most requests. */
const maxCached = 10_000;
/** Tolerance for the clock difference between two machines. */
const toleranceSeconds = 10;

/** Verifies direct-endpoint tokens and caches their claims while they are valid. */
export interface DirectTokenVerifier {
  /** `undefined` if the token is not from this installation, has expired or is not valid yet. */
  verify(token: string): Promise<DirectTokenClaims | undefined>;
  /** True if the token has the format of a JWT, which an access key has not. */
  isDirectToken(token: string): boolean;
  /** True if the token names this installation and an unknown signing key, which may not have arrived yet. */
  hasUnknownKey(token: string): boolean;
}

export function createDirectTokenVerifier({ keys, issuer, clock }: DirectTokenVerifierOptions): DirectTokenVerifier {
  const secret = randomBytes(32).toString('base64');
  // The cache contains digests, so that a memory dump reveals no tokens.
  const digest = (token: string) => hash('sha256', secret + token, 'base64');
  const cache = new Map<string, DirectTokenClaims>();
  let checkedWith: JSONWebKeySet | undefined;

  const isCurrent = ({ issuedAt, expiresAt }: DirectTokenClaims): boolean => {
    const now = clock.now() / 1000;
    return issuedAt - toleranceSeconds <= now && now < expiresAt + toleranceSeconds;
  };

  return {
    isDirectToken: (token) => unverifiedClaims(token) !== undefined,
    hasUnknownKey(token) {
      const claimed = unverifiedClaims(token);
      return (
        claimed !== undefined && claimed.issuer === issuer() && !keys().keys.some(({ kid }) => kid === claimed.kid)
      );
    },
    async verify(token) {
      const current = keys();
      if (checkedWith !== current) cache.clear();
      checkedWith = current;
      const cacheKey = digest(token);
      const known = cache.get(cacheKey);
      if (known !== undefined) {
        if (isCurrent(known)) return known;
        cache.delete(cacheKey);
        return undefined;
      }
      const { claims } = await verifyDirectToken(token, {
        keys: current,
        issuer: issuer(),
        now: clock.now(),
        toleranceSeconds,
      });
      if (claims === undefined || !isCurrent(claims)) return undefined;
      // The keys may have changed meanwhile; results for old keys are not cached.
      if (checkedWith === current) cache.set(cacheKey, claims);
      const [oldest] = cache.size > maxCached ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      return claims;
    },
  };
}

/** The unverified key id and issuer of a token; `undefined` if it is not a JWT. */
function unverifiedClaims(token: string): { readonly kid?: string; readonly issuer?: string } | undefined {
  if (token.length > maxDirectTokenLength) return undefined;
  try {
    const [{ kid }, { iss }] = [decodeProtectedHeader(token), decodeJwt(token)];
    return { ...(kid === undefined ? {} : { kid }), ...(iss === undefined ? {} : { issuer: iss }) };
  } catch {
    return undefined;
  }
}
