import { WorkMeter } from '@flotilla/work-meter';
import { expectNearlyLinearGrowth } from '@flotilla/work-meter/growth.fixture.ts';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../../test/harness/cpu-milliseconds.ts';
import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import { uncoveredPermissions } from './uncovered-permissions.ts';

const list = (count: number, item: (index: number) => string) => Array.from({ length: count }, (_, at) => item(at));
const simpleRules = (count: number, prefix: string): PolicyRule[] =>
  list(count, (at) => `${prefix}${at}`).map((resource) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] }));
const broadRules = (count: number, prefix: string): PolicyRule[] =>
  list(count, (at) => `${prefix}${at}`).map((verb) => ({
    verbs: [verb, 'a', 'b', 'c'],
    apiGroups: ['', 'a', 'b', 'c'],
    resources: ['p', 'q', 'r', 's'],
  }));
const pathRules = (count: number, prefix: string): PolicyRule[] =>
  list(count, (at) => `/${prefix}/${at}/*`).map((path) => ({ verbs: ['get'], nonResourceURLs: [path] }));

/** The approximate number of bytes that a rule takes in a request. */
const ruleBytes = 60;

describe('the comparison of permissions', () => {
  it.each([
    ['simple rules', simpleRules],
    ['broad rules', broadRules],
    ['paths', pathRules],
  ])('takes work in proportion to the number of %s', async (_, rules) => {
    await expectNearlyLinearGrowth((bytes) => {
      const meter = new WorkMeter('the test', 2_000_000);
      const count = Math.ceil(bytes / ruleBytes);
      uncoveredPermissions(rules(4 * count, 'owned'), rules(count, 'wanted'), meter);
      return meter.used;
    });
  });

  it('of 28,000 owned with 7,000 wanted rules takes little time', () => {
    const before = cpuMilliseconds();
    expect(uncoveredPermissions(simpleRules(28_000, 'a'), simpleRules(7_000, 'a'))).toEqual([]);
    expect(uncoveredPermissions(simpleRules(28_000, 'a'), simpleRules(7_000, 'b'))).toHaveLength(7_000);
    expect(cpuMilliseconds() - before).toBeLessThan(2_000);
  });

  it('beyond the work limit reports the remaining rules as missing', () => {
    const owned = simpleRules(100, 'a');
    expect(uncoveredPermissions(owned, owned.slice(0, 2), new WorkMeter('the test', 10))).toEqual(owned.slice(0, 2));
  });
});
