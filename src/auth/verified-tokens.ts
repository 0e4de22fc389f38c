import { hash, randomBytes } from 'node:crypto';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';
import { tokenAlgorithm } from './direct-token.ts';

/** What tokens say that an installation signed. */
export interface VerifiedTokens {
  /** undefined: it is none of theirs. Whether its time has come or gone, and what it is for, is not looked at. */
  verify(token: string): Promise<JsonObject | undefined>;
}

interface Verified {
  readonly kid: string;
  readonly claims: JsonObject;
}

/** Longer than any that is issued; nothing beyond it is ever looked at. */
const longestToken = 32 * 1024;
/** Tokens that were checked lately: to check a signature takes longer than most requests. */
const mostRemembered = 1_000;

/** `publicKeys`: those whose tokens are good now, asked for each time: one may be revoked. */
export function createVerifiedTokens(publicKeys: () => JSONWebKeySet): VerifiedTokens {
  const secret = randomBytes(32).toString('base64');
  // Never the token itself: what lies in memory for long must not be worth stealing.
  const digest = (token: string) => hash('sha256', secret + token, 'base64');
  const remembered = new Map<string, Verified>();

  async function verified(token: string): Promise<Verified | undefined> {
    try {
      const { payload, protectedHeader } = await compactVerify(token, createLocalJWKSet(publicKeys()), {
        algorithms: [tokenAlgorithm],
      });
      const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
      // Without a name any single key would do; every token of ours names its key.
      if (protectedHeader.kid === undefined || !isJsonObject(claims)) return undefined;
      return { kid: protectedHeader.kid, claims };
    } catch {
      return undefined;
    }
  }

  return {
    async verify(token) {
      if (token.length > longestToken || token.split('.').length !== 3) return undefined;
      const mark = digest(token);
      const known = remembered.get(mark);
      if (known !== undefined && publicKeys().keys.some(({ kid }) => kid === known.kid)) return known.claims;
      remembered.delete(mark);
      const found = await verified(token);
      if (found === undefined) return undefined;
      remembered.set(mark, found);
      const [oldest] = remembered.size > mostRemembered ? remembered.keys() : [];
      if (oldest !== undefined) remembered.delete(oldest);
      return found.claims;
    },
  };
}
