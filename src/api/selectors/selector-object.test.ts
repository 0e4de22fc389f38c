import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';
import { labelSelectorErrors, labelSelectorMatches } from './selector-object.ts';

describe('a selector in an object', () => {
  it('selects everything if it is empty, and nothing if it is absent', () => {
    expect(labelSelectorMatches({}, {})).toBe(true);
    expect(labelSelectorMatches(undefined, {})).toBe(false);
    expect(labelSelectorMatches({ matchExpressions: [{ key: 'a', operator: 'Odd' }] }, { a: 'b' })).toBe(false);
  });

  it('does not treat inherited properties as labels', () => {
    const selector = { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] };
    expect(labelSelectorMatches(selector, {})).toBe(false);
  });

  it('selects the same labels as the equivalent text selector (SEL-01)', () => {
    const key = fc.constantFrom('a', 'b');
    const value = fc.constantFrom('x', 'y');
    const expression = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(value, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const selector = fc.record({
      matchLabels: fc.dictionary(key, value),
      matchExpressions: fc.array(expression, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(selector, fc.dictionary(key, value), (one, labels) => {
        const text = [
          ...Object.entries(one.matchLabels).map(([name, wanted]) => `${name}=${wanted}`),
          ...one.matchExpressions.map((each) => {
            if (each.operator === 'Exists') return each.key;
            if (each.operator === 'DoesNotExist') return `!${each.key}`;
            const values = 'values' in each ? each.values.join(',') : '';
            return `${each.key} ${each.operator.toLowerCase()} (${values})`;
          }),
        ].join(',');
        expect(labelSelectorErrors(one, 'selector')).toEqual([]);
        expect(labelSelectorMatches(one, labels)).toBe(parseLabelSelector(text).matches(labels));
      }),
    );
  });
});
