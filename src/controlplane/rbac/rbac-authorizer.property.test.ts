import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf, type Subject, subjectsOf } from '../../api/rbac/binding.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes } from '../../auth/authz/attributes.ts';
import { clusterRole, clusterRoleBinding, RbacTestEnv, rbacKindOf, role, roleBinding } from './rbac.fixture.ts';

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });

const users = ['u', 'v', 'system:serviceaccount:a:s', 'system:serviceaccount:b:s', 'g'];
const groups = ['g', 'h', 'u', 'system:serviceaccounts'];
const namespaces = ['a', 'b'];
const roleNames = ['r1', 'r2', 'r3'];
const verbs = ['get', 'list', 'create', 'use'];
const apiGroups = ['', 'x', 'y'];
const paths = ['/a', '/a/b', '/ab', '/c'];

const resourceRule = fc
  .record({
    verbs: some(...verbs, '*'),
    apiGroups: some(...apiGroups, '*'),
    resources: some('p', 'q', 'p/s', 'q/t', '*/s', '*', 'p/*'),
    resourceNames: fc.option(some('n', 'm', '*', ''), { nil: undefined }),
  })
  .map(({ resourceNames, ...rule }): PolicyRule => (resourceNames === undefined ? rule : { ...rule, resourceNames }));
const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(...verbs, '*'),
  nonResourceURLs: some('/a', '/a/*', '/a*', '*', '/a/**', '/c*d'),
});
const resourceRules = fc.array(resourceRule, { minLength: 1, maxLength: 4 });
const anyRules = fc.array(fc.oneof(resourceRule, pathRule), { minLength: 1, maxLength: 4 });

const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: oneOf(...users) }),
  fc.record({ kind: fc.constant('Group'), name: oneOf(...groups) }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('s'), namespace: oneOf(...namespaces) }),
);
const localAccount: fc.Arbitrary<Subject> = fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('s') });
const bindingNames = ['b1', 'b2', 'b3', 'b4'];

const anyObject: fc.Arbitrary<KubeObject> = fc.oneof(
  fc.tuple(oneOf(...roleNames), anyRules).map(([name, rules]) => clusterRole(name, rules)),
  fc
    .tuple(oneOf(...namespaces), oneOf(...roleNames), resourceRules)
    .map(([home, name, rules]) => role(home, name, rules)),
  fc
    .tuple(oneOf(...bindingNames), oneOf(...roleNames), fc.array(subject, { minLength: 1, maxLength: 4 }))
    .map(([name, of, subjects]) => clusterRoleBinding(name, of, ...subjects)),
  fc
    .tuple(
      oneOf(...namespaces),
      oneOf(...bindingNames),
      oneOf('Role/r1', 'Role/r2', 'ClusterRole/r1', 'ClusterRole/r3'),
      fc.array(fc.oneof(subject, localAccount), { minLength: 1, maxLength: 4 }),
    )
    .map(([home, name, of, subjects]) => roleBinding(home, name, of, ...subjects)),
);
/** A write over the existing object, or a deletion. */
const steps = fc.array(fc.record({ object: anyObject, isRemoved: oneOf(false, false, false, true) }), {
  minLength: 15,
  maxLength: 30,
});

const anyUser: fc.Arbitrary<UserInfo> = fc.record({ name: oneOf(...users, 'nobody'), groups: fc.subarray(groups) });
const anyAttributes: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    resourceRequest: fc.constant<true>(true),
    verb: oneOf(...verbs, 'other'),
    group: oneOf(...apiGroups),
    version: fc.constant('v1'),
    resource: oneOf('p', 'q', 'z'),
    subresource: oneOf('', 's', 't'),
    namespace: oneOf('', ...namespaces),
    name: oneOf('', 'n', 'm', 'o'),
  }),
  fc.record({ resourceRequest: fc.constant<false>(false), verb: oneOf(...verbs), path: oneOf(...paths) }),
);

/** RBAC as documented, over plain lists of objects: no index, nothing shared with the tested code. */
function oracle(objects: readonly KubeObject[], user: UserInfo, asked: Attributes): boolean {
  return objects.some((binding) => {
    const home = binding.metadata.namespace;
    if (binding.kind === 'RoleBinding' && !(asked.resourceRequest && asked.namespace === home)) return false;
    if (binding.kind !== 'RoleBinding' && binding.kind !== 'ClusterRoleBinding') return false;
    if (!subjectsOf(binding).some((each) => isSubject(each, user, home ?? ''))) return false;
    const { kind, name } = roleRefOf(binding);
    const given = objects.find(
      (one) =>
        one.kind === kind && one.metadata.name === name && (kind === 'ClusterRole' || one.metadata.namespace === home),
    );
    return given !== undefined && rulesOf(given).some((rule) => allows(rule, asked));
  });
}

function isSubject({ kind, name, namespace }: Subject, user: UserInfo, home: string): boolean {
  if (kind === 'Group') return user.groups.includes(name);
  return user.name === (kind === 'User' ? name : `system:serviceaccount:${namespace ?? home}:${name}`);
}

function allows(rule: PolicyRule, asked: Attributes): boolean {
  const fits = (list: readonly string[] | undefined, ...wanted: string[]) =>
    (list ?? []).some((item) => item === '*' || wanted.includes(item));
  if (!fits(rule.verbs, asked.verb)) return false;
  if (!asked.resourceRequest) {
    return (rule.nonResourceURLs ?? []).some((url) => {
      const stem = /^(.*?)\**$/.exec(url)?.[1] ?? '';
      return asked.path === url || (stem !== url && asked.path.startsWith(stem));
    });
  }
  const { resource, subresource, group, name } = asked;
  const names = subresource === '' ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
  if (!fits(rule.apiGroups, group) || !fits(rule.resources, ...names)) return false;
  return rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(name);
}

describe('decisions of RBAC', () => {
  it('match a plain implementation after any sequence of writes and deletions', {
    timeout: 120_000,
  }, async () => {
    let asked = 0;
    let allowed = 0;
    const scenario = fc.tuple(steps, fc.array(fc.tuple(anyUser, anyAttributes), { minLength: 240, maxLength: 240 }));
    await fc.assert(
      fc.asyncProperty(scenario, async ([writes, questions]) => {
        const env = await RbacTestEnv.open();
        const expectedObjects = new Map<string, KubeObject>();
        // Some decisions are requested after every write, to detect decisions from an outdated cache.
        const each = Math.ceil(questions.length / writes.length);
        for (const [step, { object, isRemoved }] of writes.entries()) {
          await take(env, expectedObjects, object, isRemoved);
          for (const [user, attributes] of questions.slice(step * each, (step + 1) * each)) {
            const decision = env.part.authorize({ user, system: false }, attributes);
            asked++;
            if (decision.allowed) allowed++;
            expect(decision.allowed).toBe(oracle([...expectedObjects.values()], user, attributes));
          }
        }
        env.plane.close();
      }),
      { numRuns: 100 },
    );
    expect(asked).toBeGreaterThanOrEqual(20_000);
    // Allowed and denied requests both occur often enough.
    expect(allowed / asked).toBeGreaterThan(0.05);
    expect(allowed / asked).toBeLessThan(0.95);
  });
});

async function take(
  env: RbacTestEnv,
  expectedObjects: Map<string, KubeObject>,
  object: KubeObject,
  isRemoved: boolean,
) {
  const { name = '', namespace = '' } = object.metadata;
  const key = `${object.kind}/${namespace}/${name}`;
  const before = expectedObjects.get(key);
  const isAnotherRole = before !== undefined && JSON.stringify(roleRefOf(before)) !== JSON.stringify(roleRefOf(object));
  if (before !== undefined && (isRemoved || isAnotherRole)) {
    await env.remove(rbacKindOf(object), name, namespace);
    expectedObjects.delete(key);
  }
  if (isRemoved) return;
  await env.update(object);
  expectedObjects.set(key, object);
}
