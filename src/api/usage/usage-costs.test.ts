import { expect, it } from 'vitest';
import { amountsFrom } from './usage-amounts.ts';
import { costOf, formatCost } from './usage-costs.ts';

const hour = 3600;
const amounts = amountsFrom((field) =>
  field === 'runningSeconds' ? 2 * hour : field === 'cpuMilliSeconds' ? 500 * hour : 0,
);

it('the cost adds the prices of all units, and charges nothing for units without a price', () => {
  expect(costOf(amounts, { instanceHour: '0.25', cpuHour: '3' })).toBeCloseTo(2 * 0.25 + 0.5 * 3, 9);
  expect(costOf(amounts, { memoryGibHour: '1' })).toBe(0);
});

it('the cost is absent without prices', () => {
  expect(costOf(amounts, {})).toBeUndefined();
});

it('small costs are shown with more decimals', () => {
  expect([formatCost(0), formatCost(0.000123), formatCost(12.345)]).toEqual(['0.00', '0.000123', '12.35']);
});
