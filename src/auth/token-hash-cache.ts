import { tokenFingerprint } from './token-fingerprint.ts';

export interface TokenHashCacheOptions {
  /** True if a token has the format of an access key. */
  isWellFormed(token: string): boolean;
  /** Returns the keyed hash under which an access key is stored. */
  hash(token: string): string;
  /** Maximum number of entries. If it is exceeded, the oldest entry is evicted. */
  readonly limit?: number;
}

/** Caches the keyed hashes of tokens, because clients send the same token with every request. */
export interface TokenHashCache {
  /**
   * Calls `find` with the keyed hash of the token and returns the result. `undefined` if no access key has this value.
   * Only hashes of existing keys are cached, because clients can invent any number of tokens. `fingerprint` is the
   * `tokenFingerprint` of the token, if it is already computed.
   */
  find<T>(token: string, find: (hash: string) => T | undefined, fingerprint?: string): T | undefined;
}

/**
 * Creates the cache. Its keys are token fingerprints, because computing a fingerprint takes a tenth of the time of
 * computing the checksum and the keyed hash.
 */
export function createTokenHashCache(options: TokenHashCacheOptions): TokenHashCache {
  const { limit = 10_000 } = options;
  const cache = new Map<string, string>();

  const store = (fingerprint: string, hashed: string): void => {
    cache.set(fingerprint, hashed);
    const [oldest] = cache.size > limit ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
  };

  return {
    find(token, find, fingerprint = tokenFingerprint(token)) {
      const cached = cache.get(fingerprint);
      if (cached !== undefined) return find(cached);
      if (!options.isWellFormed(token)) return undefined;
      const hashed = options.hash(token);
      const found = find(hashed);
      if (found !== undefined) store(fingerprint, hashed);
      return found;
    },
  };
}
