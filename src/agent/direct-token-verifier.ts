import { hash, randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import type { DirectTokenClaims } from '../auth/direct-token.ts';
import { maxDirectTokenLength, verifyDirectToken } from '../auth/verify-direct-token.ts';
import type { Clock } from '../lib/clock.ts';

export interface DirectTokenVerifierOptions {
  /** The public signing keys of the installation. Returns the same object as long as the keys have not changed. */
  keys(): JSONWebKeySet;
  issuer(): string;
  readonly clock: Clock;
}

/** Maximum number of tokens whose claims are cached. Verifying a signature again takes longer than most requests. */
const maxCached = 10_000;
/** Tolerated difference between the clocks of the agent and of the control server, in seconds. */
const toleranceSeconds = 10;

/** Verifies tokens for direct endpoints, and caches the claims of each token until it expires. */
export interface DirectTokenVerifier {
  /**
   * Returns the claims; `undefined` if the token has another issuer or an invalid signature, is expired, or is not yet
   * valid.
   */
  verify(token: string): Promise<DirectTokenClaims | undefined>;
  /** True if the token has the format of a JWT. The agent never treats such a token as an access key. */
  isDirectToken(token: string): boolean;
  /**
   * True if the token claims to be from this installation but is signed with an unknown key. This can be a new signing
   * key that the agent has not received yet.
   */
  hasUnknownKey(token: string): boolean;
}

export function createDirectTokenVerifier({ keys, issuer, clock }: DirectTokenVerifierOptions): DirectTokenVerifier {
  const secret = randomBytes(32).toString('base64');
  // The cache stores digests of the tokens, so that a memory dump reveals no tokens.
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
      // The signing keys may have changed during the verification. Do not cache claims that an old key confirmed.
      if (checkedWith === current) cache.set(cacheKey, claims);
      const [oldest] = cache.size > maxCached ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      return claims;
    },
  };
}

/** Returns the key id and the issuer of a token without verifying it; `undefined` if the token is not a JWT. */
function unverifiedClaims(token: string): { readonly kid?: string; readonly issuer?: string } | undefined {
  if (token.length > maxDirectTokenLength) return undefined;
  try {
    const [{ kid }, { iss }] = [decodeProtectedHeader(token), decodeJwt(token)];
    return { ...(kid === undefined ? {} : { kid }), ...(iss === undefined ? {} : { issuer: iss }) };
  } catch {
    return undefined;
  }
}
