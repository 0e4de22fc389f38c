import { listAt } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { labelSelectorMatches } from '../../api/selectors/selector-object.ts';
import { silentLog } from '../../lib/log.ts';
import { AggregationController } from './aggregation-controller.ts';
import { clusterRole, RbacTestEnv } from './rbac.fixture.ts';

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const rule: fc.Arbitrary<PolicyRule> = fc
  .tuple(oneOf('get', 'list'), oneOf('p', 'q', 'r'))
  .map(([verb, resource]) => ({ verbs: [verb], apiGroups: ['x'], resources: [resource] }));
const rules = fc.array(rule, { maxLength: 3 });
const aggregateToView = 'rbac.authorization.k8s.io/aggregate-to-view';

/** Roles of one level select only labels of lower levels, so the rules converge. */
const written = fc
  .record({
    level: oneOf(0, 0, 0, 1, 2),
    number: oneOf(1, 2, 3),
    label: oneOf('a', 'b'),
    rules,
    isShown: fc.boolean(),
    isPlain: fc.boolean(),
  })
  .map(({ level, number, label, rules: its, isShown, isPlain }): KubeObject => {
    const labels = { [`level-${level}`]: label, ...(isShown && level === 0 ? { [aggregateToView]: 'true' } : {}) };
    const role = clusterRole(`r${level}-${number}`, its, labels);
    if (level === 0 || isPlain) return role;
    const below = { key: `level-${level - 1}`, operator: 'In', values: [label, 'c'] };
    const selectors = [{ matchExpressions: [below] }, { matchLabels: { 'level-0': label } }];
    return { ...role, aggregationRule: { clusterRoleSelectors: selectors } };
  });
const steps = fc.array(fc.record({ role: written, isRemoved: oneOf(false, false, false, true) }), {
  minLength: 4,
  maxLength: 20,
});

/** Returns the rules that the selectors of a role find in the current state of the plane. */
function expected(role: KubeObject, all: readonly KubeObject[]): string[] {
  const found: string[] = [];
  for (const selector of listAt(role, 'aggregationRule', 'clusterRoleSelectors')) {
    for (const other of [...all].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))) {
      if (other.metadata.name === role.metadata.name) continue;
      if (labelSelectorMatches(selector, other.metadata.labels ?? {})) found.push(...rulesOf(other).map(textOf));
    }
  }
  return [...new Set(found)];
}

const textOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);

describe('aggregated roles that have converged', () => {
  it('have the rules that their selectors find, after any sequence of changes', { timeout: 120_000 }, async () => {
    let aggregated = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (writes, isAtOnce) => {
        const env = await RbacTestEnv.open(undefined, { isIdle: true });
        const roles = env.kind(clusterRoleKind);
        const keeper = new AggregationController(roles, silentLog);
        const take = async ({ role, isRemoved }: { role: KubeObject; isRemoved: boolean }) => {
          const name = role.metadata.name ?? '';
          if (!isRemoved) await env.update(role);
          else if (roles.peek('', name) !== undefined) await env.remove(clusterRoleKind, name).catch(() => undefined);
        };
        if (isAtOnce) await Promise.all(writes.map(take));
        else for (const write of writes) await take(write);
        // In a shared store, only maintenance updates rules.
        await (roles.isShared ? keeper.runTask(undefined) : keeper.reconcile());
        const all = roles.peekAll().map(({ object }) => object);
        for (const role of all) {
          if (role.aggregationRule === undefined) continue;
          aggregated++;
          expect(rulesOf(role).map(textOf)).toEqual(expected(role, all));
        }
        keeper.stop();
        env.plane.close();
      }),
      { numRuns: 40 },
    );
    expect(aggregated).toBeGreaterThan(150);
  });
});
