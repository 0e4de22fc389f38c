import { expect, it } from 'vitest';
import { killRounds } from '../../test/harness/kill-rounds.ts';

it('the embedded store survives 200 kills with eight writers: no acknowledged write is lost, no unsent write appears', async () => {
  const { acknowledged, found } = await killRounds(200);
  expect(acknowledged).toBeGreaterThan(1000);
  expect(found).toBeGreaterThan(acknowledged);
});
