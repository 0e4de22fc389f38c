import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ManualClock } from '../../src/lib/clock.ts';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';
import { verifyIsolation } from './isolation.ts';

it('a hundred thousand operations in neighboring planes leave a plane unchanged, on disk and for its clients', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-isolation-'));
  const clock = new ManualClock();
  const store = await openEmbeddedStore({ directory, clock, retention: { ageMilliseconds: 1_000, changes: 1_000 } });
  try {
    await verifyIsolation({
      operations: 100_000,
      store,
      clock,
      seed: Number(process.env.FC_SEED ?? 2),
      compact: () => clock.advance(11_000),
    });
    expect(await store.revision('vc-1')).toBeGreaterThan(1);
  } finally {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}, 600_000);
