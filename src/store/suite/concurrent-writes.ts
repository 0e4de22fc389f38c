import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '../key.ts';
import type { Change, Revision, Store } from '../store.ts';
import {
  historyOf,
  type OpenStore,
  putValue,
  removeKey,
  storeErrorCodeOf,
  storeKey,
  storeOpener,
  storeRange,
} from './suite-store.ts';

/**
 * A writer with an observer. It keeps the rows that the observer has received, and replaces a row only if the received
 * row is still current.
 */
class Observed {
  readonly #store: Store;
  readonly #rows = new Map<string, { readonly value: string; readonly revision: Revision }>();

  private constructor(store: Store) {
    this.#store = store;
  }

  static async of(store: Store): Promise<Observed> {
    const observed = new Observed(store);
    await store.observe(storeRange('s'), 1, { changes: (changes) => observed.#learn(changes), ended() {} });
    return observed;
  }

  create(at: Key, value = ''): Promise<unknown> {
    return this.#store.transact({ checks: [{ key: at, revision: undefined }], writes: [{ key: at, value }] });
  }

  /** Writes the key if its observed revision is still current. Removes the key if `value` is `undefined`. */
  replace(at: Key, value: string | undefined): Promise<unknown> {
    const row = this.#rows.get(at.segments.join('/'));
    if (row === undefined) return Promise.resolve();
    const checks = [{ key: at, revision: row.revision }];
    return this.#store.transact({ checks, writes: [{ key: at, value }] });
  }

  #learn(changes: readonly Change[]): void {
    for (const { key: at, value, revision } of changes) {
      if (value === undefined) this.#rows.delete(at.segments.join('/'));
      else this.#rows.set(at.segments.join('/'), { value, revision });
    }
  }
}

export function concurrentWritesTests(open: OpenStore): void {
  const newStore = storeOpener(open);
  const x = storeKey('s', 'x');

  describe('a key with concurrent conditional writes', () => {
    it('is created by one of several concurrent callers, and by none afterwards', async () => {
      const store = await newStore();
      const observed = await Observed.of(store);
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => observed.create(x)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await storeErrorCodeOf(observed.create(x))).toBe('CheckFailed');
      await removeKey(store, x);
      await observed.create(x, 'again');
      expect((await store.get(x))?.value).toBe('again');
    });

    it('is created once although the caller has not received a pending write yet', async () => {
      const store = await newStore();
      const observed = await Observed.of(store);
      for (let round = 0; round < 20; round++) {
        const at = storeKey('s', `${round}`);
        const first = putValue(store, at, 'first');
        for (let tick = 0; tick < round % 5; tick++) await new Promise(setImmediate);
        const others = [storeKey('s', `other ${round}`), at].map((each) => observed.create(each, 'second'));
        expect(await storeErrorCodeOf(others[1] ?? first)).toBe('CheckFailed');
        await Promise.all([first, others[0]]);
        expect((await store.get(at))?.value).toBe('first');
      }
    });

    it('is created once although the caller waits behind thousands of writes', async () => {
      const store = await newStore();
      const observed = await Observed.of(store);
      const before = [x, ...Array.from({ length: 2500 }, (_, n) => storeKey('s', `${n}`))].map((at) =>
        putValue(store, at, ''),
      );
      expect(await storeErrorCodeOf(observed.create(x, 'second'))).toBe('CheckFailed');
      await Promise.all(before);
      expect((await store.get(x))?.value).toBe('');
    });

    it('is created once although another observer is notified before the one of the caller', async () => {
      const store = await newStore();
      const attempts: Promise<string>[] = [];
      let late: Observed | undefined;
      await store.observe(storeRange('s'), 1, {
        changes: () => {
          if (attempts.length === 0 && late !== undefined) attempts.push(storeErrorCodeOf(late.create(x, 'second')));
        },
        ended() {},
      });
      late = await Observed.of(store);
      await putValue(store, x, 'first');
      expect(await Promise.all(attempts)).toEqual(['CheckFailed']);
      expect((await store.get(x))?.value).toBe('first');
    });

    it('can be created again right after its removal', async () => {
      const store = await newStore();
      const observed = await Observed.of(store);
      await observed.create(x);
      const removing = removeKey(store, x);
      await new Promise(setImmediate);
      const creating = Promise.allSettled([observed.create(x, 'again')]);
      await removing;
      const [outcome] = await creating;
      expect((await store.get(x))?.value).toBe(outcome?.status === 'fulfilled' ? 'again' : undefined);
      await observed.create(storeKey('s', 'y'));
    });

    it('has a history in which each previous value is the one written before, in any interleaving', async () => {
      const step = fc.record({
        name: fc.constantFrom('a', 'b', 'c'),
        verb: fc.constantFrom('create', 'replace', 'remove', 'remove blindly'),
        ticksBefore: fc.integer({ min: 0, max: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          const store = await newStore();
          const observed = await Observed.of(store);
          const writes: Promise<unknown>[] = [];
          for (const [number, { name, verb, ticksBefore }] of steps.entries()) {
            for (let tick = 0; tick < ticksBefore; tick++) await new Promise(setImmediate);
            const at = storeKey('s', name);
            const verbs = {
              create: () => observed.create(at, `${number}`),
              replace: () => observed.replace(at, `${number}`),
              remove: () => observed.replace(at, undefined),
              'remove blindly': () => store.transact({ writes: [{ key: at, value: undefined }] }),
            };
            writes.push(Promise.allSettled([verbs[verb as keyof typeof verbs]()]));
          }
          await Promise.all(writes);
          const there = new Map<string, { readonly value: string; readonly revision: Revision }>();
          for (const { key: at, value, revision, previous } of await historyOf(store, storeRange('s'), 1)) {
            const [name = ''] = at.segments;
            expect(previous).toEqual(there.get(name));
            if (value === undefined) there.delete(name);
            else there.set(name, { value, revision });
          }
          const { entries } = await store.list(storeRange('s'));
          const listed = entries.map(({ key: at, ...row }) => [at.segments[0], row]);
          expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(there));
        }),
        { numRuns: 30 },
      );
    });
  });
}
