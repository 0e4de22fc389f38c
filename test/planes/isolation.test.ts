import { it } from 'vitest';
import { ManualClock } from '../../src/lib/clock.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { verifyIsolation } from './isolation.ts';

it('operations in one plane leave the bytes, counts, list revisions and watches of another unchanged', async () => {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock, retention: { ageMilliseconds: 1_000, changes: 100 } });
  await verifyIsolation({
    operations: 3_000,
    store,
    clock,
    seed: Number(process.env.FC_SEED ?? 1),
    compact: () => clock.advance(11_000),
  });
}, 30_000);
