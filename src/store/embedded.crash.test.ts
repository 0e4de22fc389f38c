import { expect, it } from 'vitest';
import { killRounds } from '../../test/harness/kill-rounds.ts';

it('survives 10 kills while eight write: nothing acknowledged is lost, nothing appears that nobody sent', async () => {
  const { acknowledged, found } = await killRounds(10);
  expect(acknowledged).toBeGreaterThan(50);
  expect(found).toBeGreaterThan(acknowledged);
}, 60_000);
