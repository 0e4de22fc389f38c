import { describe, expect, it } from 'vitest';
import { createTokenHashCache } from './token-hash-cache.ts';

function counting(limit?: number) {
  const hashed: string[] = [];
  const keys = new Map([
    ['#a', 'key a'],
    ['#b', 'key b'],
  ]);
  const tokens = createTokenHashCache({
    isWellFormed: (token) => token.length === 1,
    hash: (token) => {
      hashed.push(token);
      return `#${token}`;
    },
    ...(limit === undefined ? {} : { limit }),
  });
  return { hashed, keys, find: (token: string) => tokens.find(token, (hash) => keys.get(hash)) };
}

describe('createTokenHashCache', () => {
  it('a token is hashed once and looked up each time', () => {
    const { hashed, keys, find } = counting();
    expect([find('a'), find('a'), find('b')]).toEqual(['key a', 'key a', 'key b']);
    expect(hashed).toEqual(['a', 'b']);
    keys.delete('#a');
    expect(find('a')).toBeUndefined();
  });

  it('unknown and malformed tokens are not cached', () => {
    const { hashed, find } = counting();
    expect([find('x'), find('x'), find('long')]).toEqual([undefined, undefined, undefined]);
    expect(hashed).toEqual(['x', 'x']);
  });

  it('the oldest entry is evicted when the cache is full', () => {
    const { hashed, find } = counting(1);
    for (const token of ['a', 'b', 'b', 'a']) find(token);
    expect(hashed).toEqual(['a', 'b', 'a']);
  });
});
