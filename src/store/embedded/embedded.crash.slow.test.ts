import { expect, it } from 'vitest';
import { killRounds } from '../../../test/harness/crash/kill-rounds.ts';

it('the embedded store survives 200 kills without losing or inventing a write', async () => {
  const { acknowledged, found } = await killRounds(200);
  expect(acknowledged).toBeGreaterThan(1000);
  expect(found).toBeGreaterThan(acknowledged);
});
