import { beforeAll, describe, expect, it } from 'vitest';
import { Gadgets } from './gadgets.ts';
import type { Pair } from './pair.ts';

/** Declares a test whose requests are all compared. The test fails with a list of the differing requests. */
export type ComparedTest = (name: string, send: () => Promise<void>) => void;

export function comparedTests(pair: Pair): ComparedTest {
  return (name, send) => {
    it(name, async () => {
      pair.takeProblems();
      await send();
      expect(pair.takeProblems().join('\n\n')).toBe('');
    });
  };
}

/** A group of requests in a separate namespace. */
export function area(pair: Pair, title: string, tests: (compared: ComparedTest, gadgets: Gadgets) => void): void {
  describe(title, () => {
    const gadgets = new Gadgets(pair, title.toLowerCase().replaceAll(/[^a-z]+/g, '-'));
    beforeAll(() => gadgets.makeNamespace());
    tests(comparedTests(pair), gadgets);
  });
}
