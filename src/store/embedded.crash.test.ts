import { expect, it } from 'vitest';
import { killRounds } from '../../test/harness/kill-rounds.ts';

it('the embedded store survives 10 kills with eight writers: no acknowledged write is lost, no unsent write appears', async () => {
  const { acknowledged, found } = await killRounds(10);
  expect(acknowledged).toBeGreaterThan(50);
  expect(found).toBeGreaterThan(acknowledged);
}, 60_000);
