import { type JsonValue, textAt } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import { openReplicas } from '../../../store/replicas.fixture.ts';
import { eventually, expectStatusError, openCoreTestEnv, testTokenKeys } from '../core.fixture.ts';

it('creates on several replicas fill a resource quota exactly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 6 }),
      async (placement, most) => {
        const [clock, keys] = [new ManualClock(), testTokenKeys()];
        const open = openReplicas(3, (store) => openCoreTestEnv({ store, clock, keys }), openMemoryStore({ clock }));
        const { replicas } = await open;
        const [first] = replicas;
        if (first === undefined) throw new Error('three replicas were requested');
        try {
          const spec = { hard: { configmaps: String(most) } };
          await first.env.create('resourcequotas', { metadata: { name: 'q' }, spec });
          for (const { gate } of replicas) gate.hold();
          const results = await Promise.all(
            placement.map(async (replica, index) => {
              const creating = replicas[replica]?.env.create('configmaps', { metadata: { name: `m${index}` } });
              if (creating === undefined) throw new Error(`there is no replica ${replica}`);
              const isCreated = await creating.then(
                () => true,
                () => false,
              );
              if (!isCreated) expect((await expectStatusError(creating)).message).toContain('exceeded quota: q');
              return isCreated;
            }),
          );
          const created = results.filter((isCreated) => isCreated).length;
          expect(created).toBe(Math.min(placement.length, most));
          for (const { gate } of replicas) gate.open();
          await eventually(() => {
            const quota = first.env.peek('resourcequotas', 'q') as JsonValue | undefined;
            return textAt(quota, 'status', 'used', 'configmaps') === String(created);
          });
        } finally {
          for (const { env } of replicas) await env.close();
        }
      },
    ),
    { numRuns: 25 },
  );
});
