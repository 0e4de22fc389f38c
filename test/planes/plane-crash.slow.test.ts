import { expect, it } from 'vitest';
import { planeKillRounds } from './plane-kill-rounds.ts';

it('planes survive 60 kills while eight workers create, use and remove them: none is lost, none remains partially', async () => {
  const { kept, removed, between } = await planeKillRounds(60);
  expect(kept).toBeGreaterThan(20);
  expect(removed).toBeGreaterThan(50);
  expect(between).toBe(0);
}, 600_000);
