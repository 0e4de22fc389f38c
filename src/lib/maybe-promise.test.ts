import { disableFastPaths, enableFastPaths } from '@flotilla/fast-paths';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { andThen, isPromise, type MaybePromise, needsAwait } from './maybe-promise.ts';

const modes = { plain: disableFastPaths, fast: enableFastPaths };

async function inMode<T>(mode: keyof typeof modes, run: () => MaybePromise<T>): Promise<T> {
  const restore = modes[mode]();
  try {
    return await run();
  } finally {
    restore();
  }
}

/** One step of a chain: adds a number or fails, synchronously or through a promise. */
const step = fc.record({ isAsync: fc.boolean(), fails: fc.boolean(), amount: fc.integer({ min: 1, max: 9 }) });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function runStep({ isAsync, fails, amount }: Step, sum: number): MaybePromise<number> {
  if (isAsync) return fails ? Promise.reject(new Error(`${amount}`)) : Promise.resolve(sum + amount);
  if (fails) throw new Error(`${amount}`);
  return sum + amount;
}

const chained = (steps: readonly Step[]) =>
  steps.reduce<MaybePromise<number>>((sum, each) => andThen(sum, (value) => runStep(each, value)), 0);

async function awaited(steps: readonly Step[]): Promise<number> {
  let sum = 0;
  for (const each of steps) {
    const next = runStep(each, sum);
    sum = needsAwait(next) ? await next : next;
  }
  return sum;
}

const outcomeOf = (mode: keyof typeof modes, run: () => MaybePromise<number>) =>
  inMode(mode, run).catch((error: Error) => error.message);

describe('a value that may be a promise', () => {
  it('gives the same result or error on the plain path and on the fast path', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 5 }), async (steps) => {
        const plain = await outcomeOf('plain', () => awaited(steps));
        for (const mode of ['plain', 'fast'] as const) {
          expect(await outcomeOf(mode, () => chained(steps))).toBe(plain);
          expect(await outcomeOf(mode, () => awaited(steps))).toBe(plain);
        }
      }),
    );
  });

  it('is passed on synchronously on the fast path, and always through a promise on the plain path', async () => {
    const throws = () => {
      throw new Error('refused');
    };
    await inMode('fast', () => {
      expect(andThen(1, (value) => value + 1)).toBe(2);
      expect(() => andThen(1, throws)).toThrow('refused');
      expect(needsAwait(1)).toBe(false);
    });
    await inMode('plain', async () => {
      const sum = andThen(1, (value) => value + 1);
      expect(isPromise(sum)).toBe(true);
      expect(await sum).toBe(2);
      await expect(andThen(1, throws)).rejects.toThrow('refused');
      expect(needsAwait(1)).toBe(true);
    });
  });

  it('is awaited in both modes if it is a promise', async () => {
    for (const mode of ['plain', 'fast'] as const) {
      await inMode(mode, async () => {
        const failed = Promise.reject<number>(new Error('failed'));
        const next = andThen(failed, () => 1);
        expect(needsAwait(failed)).toBe(true);
        await expect(next).rejects.toThrow('failed');
      });
    }
  });
});
