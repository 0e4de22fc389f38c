import { expectNearlyLinearGrowth } from '@flotilla/work-meter/growth.fixture.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';
import { compileLabelRequirements, type LabelRequirement } from './label-requirements.ts';
import { parseLabelSelector } from './label-selector.ts';
import { labelSelectorMatches } from './selector-object.ts';

/** Returns labels that count how often they are read. */
function countedLabels(labels: Record<string, string>): { labels: Record<string, string>; reads: () => number } {
  let reads = 0;
  const handler: ProxyHandler<Record<string, string>> = {
    get: (target, key) => {
      reads++;
      return Reflect.get(target, key);
    },
    getOwnPropertyDescriptor: (target, key) => {
      reads++;
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  };
  return { labels: new Proxy(labels, handler), reads: () => reads };
}

/** Returns a selector of about the given length, with different keys. */
function selectorText(bytes: number, requirement: (at: number) => string): string {
  const parts: string[] = [];
  for (let at = 0, length = 0; length < bytes; at++) {
    const part = requirement(at);
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join(',');
}

describe('a long label selector', () => {
  it('reads only the labels that an object has', async () => {
    await expectNearlyLinearGrowth((bytes) => {
      const selector = parseLabelSelector(selectorText(bytes, (at) => `!k${at}`));
      const { labels, reads } = countedLabels({ app: 'a', tier: 'b' });
      expect(selector.matches(labels)).toBe(true);
      expect(reads()).toBeLessThan(10);
      return reads();
    });
  });

  it('selects objects like its single requirements', () => {
    const key = fc.constantFrom(...'abcdefghijkl');
    const value = fc.constantFrom('1', '5', '9', 'x', '');
    const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('in' as const, 'notin' as const),
        values: fc.array(value, { minLength: 1, maxLength: 4 }),
      }),
      fc.record({ key, operator: fc.constantFrom('exists' as const, 'absent' as const), values: fc.constant([]) }),
      fc.record({
        key,
        operator: fc.constantFrom('greater' as const, 'less' as const),
        values: fc.tuple(fc.constantFrom('0', '4', '8')),
      }),
    );
    const labels = fc.dictionary(key, value);
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 14 }), labels, (requirements, object) => {
        const single = requirements.every((one) => compileLabelRequirements([one])(object));
        expect(compileLabelRequirements(requirements)(object)).toBe(single);
      }),
      { numRuns: 1_000 },
    );
  });

  it('in an object is compiled once for all objects that it is matched with', () => {
    const values = Array.from({ length: 100_000 }, (_, at) => `v${at}`);
    const selector = { matchExpressions: [{ key: 'a', operator: 'NotIn', values }] };
    const before = process.cpuUsage();
    for (let count = 0; count < 10_000; count++) expect(labelSelectorMatches(selector, { a: 'b' })).toBe(true);
    const { user, system } = process.cpuUsage(before);
    // Reading all values each time would take more than a minute.
    expect((user + system) / 1_000).toBeLessThan(10_000);
  });
});

describe('a long field selector', () => {
  it('reads each field of an object once', () => {
    const selector = parseFieldSelector(selectorText(60_000, (at) => `metadata.name!=n${at}`));
    let reads = 0;
    const read = (value: string) => () => {
      reads++;
      return value;
    };
    expect(selector.matches(read('a'))).toBe(true);
    expect(selector.matches(read('n7'))).toBe(false);
    expect(reads).toBe(2);
  });

  it('that requires two values of one field selects nothing', () => {
    const selector = parseFieldSelector('metadata.name=a,metadata.name=b');
    expect(selector.matches(() => 'a')).toBe(false);
    expect(
      parseFieldSelector('metadata.name=a,metadata.name==a,x!=a').matches((field) => (field === 'x' ? '' : 'a')),
    ).toBe(true);
  });
});
