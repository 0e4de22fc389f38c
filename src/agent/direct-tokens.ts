import { hash, randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import type { DirectTokenClaims } from '../auth/direct-token.ts';
import { longestDirectToken, verifyDirectToken } from '../auth/verify-direct-token.ts';
import type { Clock } from '../lib/clock.ts';

export interface DirectTokensOptions {
  /** The installation's public keys: the same object as long as they are the same. */
  keys(): JSONWebKeySet;
  issuer(): string;
  readonly clock: Clock;
}

/** Tokens that were checked lately: to check a signature takes longer than most requests. */
const mostRemembered = 10_000;
/** The clocks of two machines are never quite the same. */
const toleranceSeconds = 10;

/** What direct-endpoint tokens say, as long as they are good. */
export interface DirectTokens {
  /** undefined: it is none of the installation's, or its time is over or has not come. */
  read(token: string): Promise<DirectTokenClaims | undefined>;
  /** Whether it has the form of one: an access key has not. */
  isOne(token: string): boolean;
  /** Whether it says that it is the installation's, signed with a key that is not known: it may be newer than the news. */
  isAhead(token: string): boolean;
}

export function createDirectTokens({ keys, issuer, clock }: DirectTokensOptions): DirectTokens {
  const secret = randomBytes(32).toString('base64');
  // Never the token itself: what lies in memory for long must not be worth stealing.
  const digest = (token: string) => hash('sha256', secret + token, 'base64');
  const remembered = new Map<string, DirectTokenClaims>();
  let checkedWith: JSONWebKeySet | undefined;

  const isInTime = ({ issuedAt, expiresAt }: DirectTokenClaims): boolean => {
    const now = clock.now() / 1000;
    return issuedAt - toleranceSeconds <= now && now < expiresAt + toleranceSeconds;
  };

  return {
    isOne: (token) => saidBy(token) !== undefined,
    isAhead(token) {
      const said = saidBy(token);
      return said !== undefined && said.issuer === issuer() && !keys().keys.some(({ kid }) => kid === said.kid);
    },
    async read(token) {
      const current = keys();
      if (checkedWith !== current) remembered.clear();
      checkedWith = current;
      const mark = digest(token);
      const known = remembered.get(mark);
      if (known !== undefined) {
        if (isInTime(known)) return known;
        remembered.delete(mark);
        return undefined;
      }
      const { claims } = await verifyDirectToken(token, {
        keys: current,
        issuer: issuer(),
        now: clock.now(),
        toleranceSeconds,
      });
      if (claims === undefined || !isInTime(claims)) return undefined;
      // The keys may be others by now: what was checked with the old ones is not remembered.
      if (checkedWith === current) remembered.set(mark, claims);
      const [oldest] = remembered.size > mostRemembered ? remembered.keys() : [];
      if (oldest !== undefined) remembered.delete(oldest);
      return claims;
    },
  };
}

/** What it says of itself, whoever made it; undefined: it is no such token. */
function saidBy(token: string): { readonly kid?: string; readonly issuer?: string } | undefined {
  if (token.length > longestDirectToken) return undefined;
  try {
    const [{ kid }, { iss }] = [decodeProtectedHeader(token), decodeJwt(token)];
    return { ...(kid === undefined ? {} : { kid }), ...(iss === undefined ? {} : { issuer: iss }) };
  } catch {
    return undefined;
  }
}
