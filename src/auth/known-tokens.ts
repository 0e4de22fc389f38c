import { tokenMark } from './token-mark.ts';

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
   * anybody can make up more. `mark`: the `tokenMark` of the token, where that is known.
   */
  find<T>(token: string, find: (hash: string) => T | undefined, mark?: string): T | undefined;
}

/** Tokens are remembered under their marks, which take a tenth of the time of the checksum and the keyed hash. */
export function createKnownTokens(options: KnownTokensOptions): KnownTokens {
  const { limit = 10_000 } = options;
  const known = new Map<string, string>();

  const remember = (mark: string, keyed: string): void => {
    known.set(mark, keyed);
    const [oldest] = known.size > limit ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
  };

  return {
    find(token, find, mark = tokenMark(token)) {
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
