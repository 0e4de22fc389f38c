import { expect, it } from 'vitest';
import { killRounds } from '../../test/harness/kill-rounds.ts';

it('survives 200 kills while eight write: nothing acknowledged is lost, nothing appears that nobody sent', async () => {
  const { acknowledged, found } = await killRounds(200);
  expect(acknowledged).toBeGreaterThan(1000);
  expect(found).toBeGreaterThan(acknowledged);
});
