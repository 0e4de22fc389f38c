import { type JsonValue, textAt } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventually, openCoreTestEnv } from '../core.fixture.ts';

type Step =
  | { readonly do: 'create' | 'remove'; readonly name: number }
  | { readonly do: 'limit'; readonly most: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('create' as const), name: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), most: fc.nat(6) }) },
);

it('a quota holds under concurrent writes, and its status finally shows the actual count', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 6 }),
      fc.nat(6),
      async (rounds, first) => {
        const plane = await openCoreTestEnv();
        try {
          const quota = (most: number) => ({ metadata: { name: 'q' }, spec: { hard: { configmaps: String(most) } } });
          const maps = plane.plane.kinds.get('configmaps');
          const count = () => maps?.count('default') ?? 0;
          await plane.create('resourcequotas', quota(first));
          let highest = first;
          let exceeded = 0;
          const stop = maps?.listen(() => {
            // A lower limit deletes nothing: existing objects remain.
            exceeded = Math.max(exceeded, count() - highest);
          });
          for (const round of rounds) {
            const limits = round.flatMap((one) => (one.do === 'limit' ? [one.most] : []));
            highest = Math.max(highest, count(), ...limits);
            await Promise.allSettled(
              round.map((one) => {
                if (one.do === 'limit') return plane.update('resourcequotas', quota(one.most));
                const name = `m${one.name}`;
                return one.do === 'create'
                  ? plane.create('configmaps', { metadata: { name } })
                  : plane.remove('configmaps', name);
              }),
            );
          }
          stop?.();
          expect(exceeded).toBe(0);
          await eventually(() => {
            const status = plane.peek('resourcequotas', 'q') as JsonValue | undefined;
            return textAt(status, 'status', 'used', 'configmaps') === String(count());
          });
        } finally {
          await plane.close();
        }
      },
    ),
    { numRuns: 40 },
  );
});
