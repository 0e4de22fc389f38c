import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { aggregatedRules } from './aggregated-rules.ts';
import { clusterRole } from './rbac.fixture.ts';

const all = { matchExpressions: [{ key: 'absent', operator: 'DoesNotExist' }] };

function aggregated(selectors: number): KubeObject {
  const clusterRoleSelectors = Array.from({ length: selectors }, () => all);
  return { ...clusterRole('aggregated', []), aggregationRule: { clusterRoleSelectors } };
}

/** A role that counts how often its rules are read. */
function observed(name: string, rules: number): { readonly role: KubeObject; reads(): number } {
  let reads = 0;
  const list = Array.from({ length: rules }, (_, at) => ({ verbs: ['get'], apiGroups: [name], resources: [`r${at}`] }));
  const role = clusterRole(name, []);
  Object.defineProperty(role, 'rules', {
    enumerable: true,
    get() {
      reads++;
      return list;
    },
  });
  return { role, reads: () => reads };
}

describe('the rules of an aggregated role', () => {
  it('contain those of each role once, however many selectors match it', () => {
    const one = observed('one', 3);
    const other = observed('other', 2);
    const rules = aggregatedRules(aggregated(100), [other.role, one.role]);
    expect(rules?.map(({ apiGroups, resources }) => `${apiGroups} ${resources}`)).toEqual([
      'one r0',
      'one r1',
      'one r2',
      'other r0',
      'other r1',
    ]);
    expect(one.reads()).toBeLessThan(5);
  });

  it('are not computed if they are too large', () => {
    const roles = Array.from({ length: 2 }, (_, at) => observed(`role-${at}`, 5_000).role);
    expect(aggregatedRules(aggregated(1), roles)).toBeUndefined();
  });
});
