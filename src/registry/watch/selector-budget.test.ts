import { expect, it } from 'vitest';
import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../../api/selectors/label-selector.ts';
import { SelectorBudget } from './selector-budget.ts';

const long = parseLabelSelector(Array.from({ length: 5_000 }, (_, at) => `key-${at}!=value`).join(','));

it('the server refuses watches with long selectors beyond a total length, until others end', () => {
  const budget = new SelectorBudget();
  const releases: (() => void)[] = [];
  const reserve = () => releases.push(budget.reserve({ labelSelector: long }));
  expect(() => {
    for (let count = 0; count < 1_000; count++) reserve();
  }).toThrow(expect.objectContaining({ code: 429, message: expect.stringContaining('use shorter selectors') }));
  expect(releases.length).toBeGreaterThan(10);
  releases[0]?.();
  releases[0]?.();
  reserve();
  expect(reserve).toThrow();
  // Ordinary watches are not affected.
  for (let count = 0; count < 10_000; count++) budget.reserve({ labelSelector: parseLabelSelector('app=web') });
  budget.reserve({ fieldSelector: parseFieldSelector('metadata.name=one') });
});
