import { hash, randomBytes } from 'node:crypto';
import { compactVerify, createLocalJWKSet, SignJWT } from 'jose';
import { tokenAlgorithm } from '../auth/direct-token.ts';
import type { TokenKeys } from '../controlplane/core/account-tokens.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface AccountTokenKeysOptions {
  readonly signingKeys: Pick<SigningKeys, 'current' | 'publicKeys'>;
  /** Tells this installation from every other. */
  readonly installation: string;
}

interface Verified {
  readonly kid: string;
  readonly claims: JsonObject;
}

/** Longer than any that is issued; nothing beyond it is ever looked at. */
const longestToken = 16 * 1024;
/** Tokens that were checked lately: to check a signature takes longer than most requests. */
const mostRemembered = 1_000;

/** The installation's signing keys, for the tokens of service accounts in its planes. */
export function accountTokenKeys({ signingKeys, installation }: AccountTokenKeysOptions): TokenKeys {
  const secret = randomBytes(32).toString('base64');
  // Never the token itself: what lies in memory for long must not be worth stealing.
  const digest = (token: string) => hash('sha256', secret + token, 'base64');
  const remembered = new Map<string, Verified>();

  async function verified(token: string): Promise<Verified | undefined> {
    try {
      const { payload, protectedHeader } = await compactVerify(token, createLocalJWKSet(signingKeys.publicKeys()), {
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
    installation,
    sign(claims) {
      const { kid, privateKey } = signingKeys.current();
      return new SignJWT(claims).setProtectedHeader({ alg: tokenAlgorithm, kid, typ: 'JWT' }).sign(privateKey);
    },
    async verify(token) {
      if (token.length > longestToken || token.split('.').length !== 3) return undefined;
      const mark = digest(token);
      const known = remembered.get(mark);
      // A key may have been revoked since.
      if (known !== undefined && signingKeys.publicKeys().keys.some(({ kid }) => kid === known.kid))
        return known.claims;
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
