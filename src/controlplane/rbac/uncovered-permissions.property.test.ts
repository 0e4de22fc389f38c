import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import type { Attributes } from '../../auth/authz/attributes.ts';
import { pathCovers, ruleAllows } from './rule-allows.ts';
import { uncoveredPermissions } from './uncovered-permissions.ts';

const some = (...values: string[]) => fc.subarray(values, { minLength: 1 });
const oneOf = (...values: string[]) => fc.constantFrom(...values);

const resourceRule: fc.Arbitrary<PolicyRule> = fc
  .record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'x', '*'),
    resources: some('p', 'q', 'p/s', '*/s', '*', 'p/*'),
    resourceNames: fc.option(some('n', 'm'), { nil: undefined }),
  })
  .map(({ resourceNames, ...rule }) => (resourceNames === undefined ? rule : { ...rule, resourceNames }));
const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some('get', 'put', '*'),
  nonResourceURLs: some('/a', '/a/*', '/a*', '/a/b', '*', '/a/**'),
});
const rules = fc.array(fc.oneof(resourceRule, pathRule), { minLength: 1, maxLength: 4 });
const wanted = fc.array(fc.oneof(resourceRule, pathRule), { minLength: 1, maxLength: 2 });

const anyAttributes: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    resourceRequest: fc.constant<true>(true),
    verb: oneOf('get', 'list', 'other'),
    group: oneOf('', 'x', 'y'),
    version: fc.constant('v1'),
    resource: oneOf('p', 'q', 'z'),
    subresource: oneOf('', 's', 't', '*'),
    namespace: fc.constant(''),
    name: oneOf('', 'n', 'm', 'o'),
  }),
  fc.record({
    resourceRequest: fc.constant<false>(false),
    verb: oneOf('get', 'put', 'x'),
    path: oneOf('/a', '/a/b', '/ab', '/c'),
  }),
);

const allows = (all: readonly PolicyRule[], asked: Attributes) => all.some((rule) => ruleAllows(rule, asked));

/** Reference implementation: true if the rule covers a single permission. */
function coversSingle(rule: PolicyRule, { verbs: [verb = ''], ...wanted }: PolicyRule): boolean {
  const holds = (items: readonly string[] | undefined, item: string) =>
    items?.some((each) => each === item || each === '*');
  if (!holds(rule.verbs, verb)) return false;
  if (wanted.nonResourceURLs !== undefined) {
    const path = wanted.nonResourceURLs[0] ?? '';
    return rule.nonResourceURLs?.some((each) => pathCovers(each, path)) ?? false;
  }
  const [resource = ''] = wanted.resources ?? [];
  const slash = resource.indexOf('/');
  const subresource = slash < 0 ? resource : `*${resource.slice(slash)}`;
  const names = rule.resourceNames ?? [];
  const [name] = wanted.resourceNames ?? [];
  if (!holds(rule.apiGroups, wanted.apiGroups?.[0] ?? '')) return false;
  if (!holds(rule.resources, resource) && !rule.resources?.includes(subresource)) return false;
  return names.length === 0 || (name !== undefined && names.includes(name));
}

/** Returns the single permissions of a rule. */
function singles({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames,
  nonResourceURLs = [],
}: PolicyRule): PolicyRule[] {
  const each = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ verbs: [verb], apiGroups: [group], resources: [resource] })),
    ),
  );
  return [
    ...each.flatMap((one) => resourceNames?.map((name) => ({ ...one, resourceNames: [name] })) ?? [one]),
    ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [path] }))),
  ];
}

describe('covered permissions', () => {
  it('are the same as in a comparison of each permission with each rule', () => {
    fc.assert(
      fc.property(rules, wanted, (owned, given) => {
        const plain = given.flatMap(singles).filter((single) => !owned.some((rule) => coversSingle(rule, single)));
        expect(uncoveredPermissions(owned, given)).toEqual(plain);
      }),
      { numRuns: 5000 },
    );
  });

  it('never allow more than the owner may do', () => {
    let held = 0;
    fc.assert(
      fc.property(
        rules,
        wanted,
        fc.array(anyAttributes, { minLength: 30, maxLength: 30 }),
        (owned, given, questions) => {
          if (uncoveredPermissions(owned, given).length > 0) return;
          held++;
          for (const asked of questions) if (allows(given, asked)) expect(allows(owned, asked)).toBe(true);
        },
      ),
      { numRuns: 5000 },
    );
    expect(held).toBeGreaterThan(500);
  });

  it('and the reported missing ones together cover everything that was requested', () => {
    fc.assert(
      fc.property(rules, wanted, (owned, given) => {
        const lacking = uncoveredPermissions(owned, given);
        expect(uncoveredPermissions([...owned, ...lacking], given)).toEqual([]);
        for (const one of lacking) expect(uncoveredPermissions(owned, [one])).toEqual([one]);
      }),
      { numRuns: 2000 },
    );
  });
});
