import { hash, randomBytes } from 'node:crypto';

export interface KnownTokensOptions {
  /** Whether a value has a form that a key can have. */
  isWellFormed(token: string): boolean;
  /** The keyed hash under which values are kept. */
  hash(token: string): string;
  /** Remembered at a time; beyond it the one that was remembered first is forgotten. */
  readonly limit?: number;
}

/** The keyed hashes of tokens. Those of keys in use are remembered: they come again with every request. */
export interface KnownTokens {
  /**
   * What `find` gives for the hash of the token; undefined: no key has such a value. Only what is found is remembered:
   * anybody can make up more.
   */
  find<T>(token: string, find: (hash: string) => T | undefined): T | undefined;
}

/**
 * Tokens are remembered under a digest with a secret of this process: what lies in memory for long must not be worth
 * stealing. That digest takes a tenth of the time of the checksum and the keyed hash.
 */
export function createKnownTokens(options: KnownTokensOptions): KnownTokens {
  const { limit = 10_000 } = options;
  const secret = randomBytes(32).toString('base64');
  const known = new Map<string, string>();
  const digest = (token: string): string => hash('sha256', secret + token, 'base64');

  const remember = (mark: string, keyed: string): void => {
    known.set(mark, keyed);
    const [oldest] = known.size > limit ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
  };

  return {
    find(token, find) {
      const mark = digest(token);
      const remembered = known.get(mark);
      if (remembered !== undefined) return find(remembered);
      if (!options.isWellFormed(token)) return undefined;
      const keyed = options.hash(token);
      const found = find(keyed);
      if (found !== undefined) remember(mark, keyed);
      return found;
    },
  };
}
