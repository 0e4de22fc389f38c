import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/meta.ts';
import { yieldToEventLoop } from '../lib/work-budget.ts';
import { compareObjectKeys } from '../registry/cache/object-index.ts';
import type { KindChange, KindStore } from '../registry/kind-store.ts';
import type { ServedObject } from '../registry/verbs.ts';
import { aggregateIncrementally } from './aggregate-incrementally.ts';

const keyOf = ({ object }: ServedObject) => ({ namespace: 'n', name: object.metadata.name ?? '' });

/** A kind store of objects that contain one number each. */
function setUp(names: readonly string[]) {
  const objects = new Map<string, ServedObject>();
  let listener: (change: KindChange) => void = () => {};
  let generation = 0;
  const write = (name: string, value: number | undefined) => {
    const before = objects.get(name);
    generation++;
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { namespace: 'n', name, generation },
      spec: { value: value ?? 0 },
    };
    const after: ServedObject | undefined = value === undefined ? undefined : { object, json: () => '' };
    if (after === undefined) objects.delete(name);
    else objects.set(name, after);
    if (before !== undefined || after !== undefined) listener({ revision: generation, before, after });
  };
  for (const name of names) write(name, 1);
  const store: Pick<KindStore, 'peekAll' | 'listen'> = {
    peekAll: () => [...objects.values()].sort((one, other) => compareObjectKeys(keyOf(one), keyOf(other))),
    listen: (each) => {
      listener = each;
      return () => {};
    },
  };
  const amountOf = ({ spec }: KubeObject) => (spec as { value: number }).value;
  let sum = 0;
  const gathered = aggregateIncrementally(store as KindStore, (object, by) => {
    sum += by * amountOf(object);
  });
  const expected = () => [...objects.values()].reduce((total, { object }) => total + amountOf(object), 0);
  return { write, gathered, sum: () => sum, expected };
}

const many = Array.from({ length: 450 }, (_, at) => String(at).padStart(4, '0'));

describe('aggregateIncrementally', () => {
  it('the aggregate is correct after any changes during its computation', async () => {
    const name = fc.constantFrom('0000', '0099', '0100', '0250', '0449', 'a', 'b');
    const step = fc.oneof(
      fc.constant('turn' as const),
      fc.record({ name, value: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { write, gathered, sum, expected } = setUp(many);
        for (const each of steps) {
          if (each === 'turn') await yieldToEventLoop();
          else write(each.name, each.value);
        }
        expect(gathered()).toBe(true);
        expect(sum()).toBe(expected());
        write('0100', 7);
        write('0000', undefined);
        expect(sum()).toBe(expected());
      }),
      { numRuns: 60 },
    );
  });

  it('the aggregate is computed in the background over several ticks', async () => {
    const { sum } = setUp(many);
    const seen = [sum()];
    while (sum() < many.length) {
      await yieldToEventLoop();
      seen.push(sum());
    }
    expect(seen.length).toBeGreaterThan(3);
  });
});
