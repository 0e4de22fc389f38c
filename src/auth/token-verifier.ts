import { hash, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@flotilla/json';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { tokenAlgorithm } from './direct-token.ts';

/** Verifies the signature of tokens that the installation issued. */
export interface TokenVerifier {
  /** Returns the claims. `undefined` if the signature is invalid. Does not check the expiry or the audience. */
  verify(token: string): Promise<JsonObject | undefined>;
}

interface Verified {
  readonly kid: string;
  readonly claims: JsonObject;
}

/** Maximum length of a token. Longer than any issued token. Checked before parsing. */
const maxTokenLength = 32 * 1024;
/**
 * Maximum number of verified tokens in the cache. Without a cache, checking signatures would take longer than most
 * requests.
 */
const maxCached = 1_000;

/**
 * Creates the verifier. `publicKeys` returns the currently trusted keys. The verifier calls `publicKeys` for each
 * token, because a key may be revoked. Before it rejects a token with an unknown key, it calls `refresh`, because
 * another server may have just created the key.
 */
export function createTokenVerifier(
  publicKeys: () => JSONWebKeySet,
  refresh: () => Promise<void> = async () => {},
): TokenVerifier {
  const secret = randomBytes(32).toString('base64');
  // The cache contains digests instead of tokens, so that its contents cannot be used as credentials.
  const digest = (token: string) => hash('sha256', secret + token, 'base64');
  const cache = new Map<string, Verified>();
  const isTrusted = (wanted: string) => publicKeys().keys.some(({ kid }) => kid === wanted);

  async function verifySignature(token: string): Promise<Verified | undefined> {
    try {
      const { payload, protectedHeader } = await compactVerify(token, createLocalJWKSet(publicKeys()), {
        algorithms: [tokenAlgorithm],
      });
      const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
      // Every token of this installation has a `kid`. Check this, because `jose` accepts a token without one if only
      // one key is trusted.
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
      if (cached !== undefined && isTrusted(cached.kid)) return cached.claims;
      cache.delete(fingerprint);
      const kid = kidOf(token);
      if (kid === undefined) return undefined;
      if (!isTrusted(kid)) await refresh();
      const found = await verifySignature(token);
      if (found === undefined) return undefined;
      cache.set(fingerprint, found);
      const [oldest] = cache.size > maxCached ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      return found.claims;
    },
  };
}

/** Returns the ID of the key that a token names; `undefined` if it names none. */
function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}
