import { expect, it } from 'vitest';
import { killRounds } from '../../../test/harness/crash/kill-rounds.ts';

it('the embedded store survives 10 kills without losing or inventing a write', async () => {
  const { acknowledged, found } = await killRounds(10);
  expect(acknowledged).toBeGreaterThan(50);
  expect(found).toBeGreaterThan(acknowledged);
}, 60_000);
