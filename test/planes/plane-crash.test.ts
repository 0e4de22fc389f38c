import { expect, it } from 'vitest';
import { planeKillRounds } from './plane-kill-rounds.ts';

it('planes survive a kill -9 while others are created, used and removed', async () => {
  const { kept, removed } = await planeKillRounds(3);
  expect(kept + removed).toBeGreaterThan(0);
}, 60_000);
