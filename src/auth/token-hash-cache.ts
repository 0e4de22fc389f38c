import { tokenFingerprint } from './token-fingerprint.ts';

export interface TokenHashCacheOptions {
  /** True if a value has the format of a key. */
  isWellFormed(token: string): boolean;
  /** The hashed hash under which key values are stored. */
  hash(token: string): string;
  /** The size of the cache; beyond it the oldest entry is evicted. */
  readonly limit?: number;
}

/** Caches the hashed hashes of tokens in use, since clients send them with every request. */
export interface TokenHashCache {
  /**
   * Returns the result of `find` for the hash of the token, `undefined` if no key has this value. Only hashes that are
   * found are cached: clients can invent any number of others. `mark` is the `tokenFingerprint` of the token if it is
   * already computed.
   */
  find<T>(token: string, find: (hash: string) => T | undefined, mark?: string): T | undefined;
}

/** Entries are hashed by token fingerprint, which takes a tenth of the time of the checksum and the hashed hash. */
export function createTokenHashCache(options: TokenHashCacheOptions): TokenHashCache {
  const { limit = 10_000 } = options;
  const cache = new Map<string, string>();

  const store = (mark: string, hashed: string): void => {
    cache.set(mark, hashed);
    const [oldest] = cache.size > limit ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
  };

  return {
    find(token, find, mark = tokenFingerprint(token)) {
      const cached = cache.get(mark);
      if (cached !== undefined) return find(cached);
      if (!options.isWellFormed(token)) return undefined;
      const hashed = options.hash(token);
      const found = find(hashed);
      if (found !== undefined) store(mark, hashed);
      return found;
    },
  };
}
