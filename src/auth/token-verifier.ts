import { hash, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@flotilla/json';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { tokenAlgorithm } from './direct-token.ts';

/** Verifies tokens that the installation signed. */
export interface TokenVerifier {
  /** Returns the claims, `undefined` if the signature is not valid. Expiry and audience are not checked. */
  verify(token: string): Promise<JsonObject | undefined>;
}

interface Verified {
  readonly kid: string;
  readonly claims: JsonObject;
}

/** Longer than any issued token. Longer ones are rejected before parsing. */
const maxTokenLength = 32 * 1024;
/** The size of the cache of verified tokens. A signature check takes longer than most requests. */
const maxCached = 1_000;

/** `publicKeys` returns the keys that are trusted now. It is called for each token, since a key may be revoked. */
export function createTokenVerifier(publicKeys: () => JSONWebKeySet): TokenVerifier {
  const secret = randomBytes(32).toString('base64');
  // The cache never contains the token itself: data that stays in memory must not be usable as a credential.
  const digest = (token: string) => hash('sha256', secret + token, 'base64');
  const cache = new Map<string, Verified>();

  async function verifySignature(token: string): Promise<Verified | undefined> {
    try {
      const { payload, protectedHeader } = await compactVerify(token, createLocalJWKSet(publicKeys()), {
        algorithms: [tokenAlgorithm],
      });
      const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
      // Without a `kid` any single key would match; every token of this installation names its key.
      if (protectedHeader.kid === undefined || !isJsonObject(claims)) return undefined;
      return { kid: protectedHeader.kid, claims };
    } catch {
      return undefined;
    }
  }

  return {
    async verify(token) {
      if (token.length > maxTokenLength || token.split('.').length !== 3) return undefined;
      const fingerprint = digest(token);
      const cached = cache.get(fingerprint);
      if (cached !== undefined && publicKeys().keys.some(({ kid }) => kid === cached.kid)) return cached.claims;
      cache.delete(fingerprint);
      const found = await verifySignature(token);
      if (found === undefined) return undefined;
      cache.set(fingerprint, found);
      const [oldest] = cache.size > maxCached ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      return found.claims;
    },
  };
}
