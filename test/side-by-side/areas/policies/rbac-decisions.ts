import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import { accessOf, untilEffective } from '../../rbac-effective.ts';
import type { Side } from '../../side.ts';

const seed = Number(process.env.FC_SEED ?? 20_261_115);
const group = '/apis/rbac.authorization.k8s.io/v1';
const namespaces = ['rbac-a', 'rbac-b'];

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1, maxLength: 3 });

const users = [...numbered('rbac-user-', 12), ...namespaces.map((one) => `system:serviceaccount:${one}:bot`)];
const groups = numbered('rbac-group-', 6);
const writers = 'rbac-writers';
const roleNames = numbered('rbac-role-', 10);
const verbs = ['get', 'list', 'create', 'use'];

const resourceRule = fc.record(
  {
    verbs: some(...verbs, '*'),
    apiGroups: some('', 'x.io', 'y.io', '*'),
    resources: some('p', 'q', 'p/s', 'q/t', '*/s', 'p/*', '*'),
    resourceNames: some('n', 'm', '*'),
  },
  { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
);
const pathRule = fc.record({
  verbs: some(...verbs, '*'),
  nonResourceURLs: some('/z', '/z/*', '/z*', '/z/**', '/y*x', '*'),
});
const subject = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: oneOf(users) }),
  fc.record({ kind: fc.constant('Group'), name: oneOf(groups) }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('bot'), namespace: oneOf(namespaces) }),
);
const rules = <T>(rule: fc.Arbitrary<T>) => fc.array(rule, { minLength: 1, maxLength: 3 });
const subjects = fc.array(subject, { minLength: 1, maxLength: 3 });

const question = fc.record({
  user: oneOf([...users, 'rbac-nobody']),
  groups: fc.subarray(groups, { maxLength: 3 }),
  asked: fc.oneof(
    fc.record({
      resourceAttributes: fc.record({
        verb: oneOf([...verbs, '*']),
        group: oneOf(['', 'x.io', 'z.io']),
        resource: oneOf(['p', 'q', '*']),
        subresource: oneOf(['', '', 's', 't']),
        namespace: oneOf(['', ...namespaces]),
        name: oneOf(['', 'n', 'm', 'o']),
      }),
    }),
    fc.record({
      nonResourceAttributes: fc.record({ verb: oneOf(verbs), path: oneOf(['/z', '/z/a', '/za', '/yx', '/']) }),
    }),
  ),
});

const draw = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number) => fc.sample(arbitrary, { numRuns, seed });

/** Compares the decisions of both sides: identical random roles and bindings, and thousands of access reviews. */
export function rbacDecisions(pair: Pair): void {
  describe('Decisions over random roles and bindings', () => {
    beforeAll(async () => {
      await make(
        '/api/v1/namespaces',
        namespaces.map((name) => ({ metadata: { name } })),
      );
      const clusterRoles = draw(rules(fc.oneof(resourceRule, pathRule)), roleNames.length - 1);
      await make(
        `${group}/clusterroles`,
        clusterRoles.map((its, at) => ({ metadata: { name: roleNames[at] }, rules: its })),
      );
      for (const namespace of namespaces) {
        const roles = draw(rules(resourceRule), roleNames.length - 2);
        await make(
          `${group}/namespaces/${namespace}/roles`,
          roles.map((its, at) => ({ metadata: { name: roleNames[at] }, rules: its })),
        );
        // The last names in the list belong to roles that do not exist.
        const bindings = draw(fc.tuple(oneOf(['Role', 'ClusterRole']), oneOf(roleNames), subjects), 12);
        await make(
          `${group}/namespaces/${namespace}/rolebindings`,
          bindings.map(([kind, name, who], at) => ({
            metadata: { name: `rbac-binding-${at}` },
            roleRef: { kind, name },
            subjects: at % 4 === 0 ? [...who, { kind: 'ServiceAccount', name: 'bot' }] : who,
          })),
        );
      }
      const bindings = draw(fc.tuple(oneOf(roleNames), subjects), 12);
      await make(
        `${group}/clusterrolebindings`,
        bindings.map(([name, who], at) => ({
          metadata: { name: `rbac-binding-${at}` },
          roleRef: { kind: 'ClusterRole', name },
          subjects: who,
        })),
      );
      await marks();
    });

    async function make(path: string, objects: readonly object[]): Promise<void> {
      for (const json of objects) await pair.prepare({ method: 'POST', path, json });
    }

    /**
     * Waits until the caches of both servers are current. Each kind has its own cache, so one last object of each kind
     * is created: when it has an effect, all earlier objects have too.
     */
    async function marks(): Promise<void> {
      const marking = [{ verbs: ['mark'], apiGroups: [''], resources: ['marks'] }];
      const marked = [{ kind: 'User', name: 'rbac-marked' }];
      await make(`${group}/clusterroles`, [{ metadata: { name: 'rbac-mark' }, rules: marking }]);
      const roleRef = { kind: 'ClusterRole', name: 'rbac-mark' };
      const asked = { user: 'rbac-marked', verb: 'mark', resource: 'marks' };
      await make(`${group}/clusterrolebindings`, [{ metadata: { name: 'rbac-mark' }, roleRef, subjects: marked }]);
      await untilEffective(pair, asked);
      for (const namespace of namespaces) {
        const own = { kind: 'Role', name: 'rbac-mark' };
        await make(`${group}/namespaces/${namespace}/roles`, [{ metadata: { name: 'rbac-mark' }, rules: marking }]);
        const who = [{ kind: 'User', name: `${namespace}-marked` }];
        await make(`${group}/namespaces/${namespace}/rolebindings`, [
          { metadata: { name: 'rbac-mark' }, roleRef: own, subjects: who },
        ]);
        await untilEffective(pair, { ...asked, user: `${namespace}-marked`, namespace });
      }
    }

    const compared = comparedTests(pair);

    it('are the same, and allowed and denied ones are both common', { timeout: 120_000 }, async () => {
      pair.takeProblems();
      let allowed = 0;
      const questions = draw(question, 3000);
      for (let at = 0; at < questions.length; at += 20) {
        await Promise.all(
          questions.slice(at, at + 20).map(async ({ user, groups, asked }) => {
            const spec = { user, groups, ...asked };
            const [theirs, ours] = await Promise.all(pair.sides.map((side) => accessOf(side, spec)));
            if (theirs?.allowed) allowed++;
            pair.compareValues(`review ${JSON.stringify(spec)}`, comparableDecision(theirs), comparableDecision(ours));
          }),
        );
      }
      expect(pair.takeProblems().join('\n\n')).toBe('');
      expect(allowed / questions.length).toBeGreaterThan(0.1);
      expect(allowed / questions.length).toBeLessThan(0.9);
    });

    compared('limit writers of roles and bindings to their own permissions', async () => {
      const writer = {
        verbs: ['create'],
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
      };
      await make(`${group}/clusterroles`, [{ metadata: { name: 'rbac-writer' }, rules: [writer] }]);
      const roleRef = { kind: 'ClusterRole', name: 'rbac-writer' };
      const subjects = [{ kind: 'Group', name: writers }];
      await make(`${group}/clusterrolebindings`, [{ metadata: { name: 'rbac-writer' }, roleRef, subjects }]);
      const asked = { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles' };
      await untilEffective(pair, { user: 'rbac-nobody', groups: [writers], ...asked });
      const writes = [
        ...draw(rules(resourceRule), 400).map((its) => ({ plural: 'roles', rules: its })),
        ...draw(fc.tuple(oneOf(['Role', 'ClusterRole']), oneOf(roleNames)), 100).map(([kind, name]) => {
          return { plural: 'rolebindings', roleRef: { kind, name } };
        }),
      ];
      let refused = 0;
      for (const [at, { plural, ...object }] of writes.entries()) {
        const path = `${group}/namespaces/${namespaces[at % 2]}/${plural}?dryRun=All`;
        const headers = { 'impersonate-user': users[at % users.length] ?? '', 'impersonate-group': writers };
        const json = { metadata: { name: 'rbac-new' }, ...object };
        const answers = await Promise.all(pair.sides.map((side) => side.send({ method: 'POST', path, headers, json })));
        const [theirs, ours] = answers.map(({ status, text }) => ({
          status,
          message: sortedMessage(JSON.parse(text).message),
        }));
        if (theirs?.status === 403) refused++;
        pair.compareValues(`${headers['impersonate-user']} writes ${JSON.stringify(json)}`, theirs, ours);
      }
      expect(refused).toBeGreaterThan(writes.length * 0.2);
      expect(refused).toBeLessThan(writes.length * 0.95);
    });

    compared('are based on the same rules', async () => {
      for (const user of users) {
        for (const namespace of namespaces) {
          const [theirs, ours] = await Promise.all(pair.sides.map((side) => rulesOf(side, user, namespace)));
          pair.compareValues(`rules of ${user} in ${namespace}`, theirs, ours);
        }
      }
    });
  });
}

/**
 * Returns a decision without its random parts. kube-apiserver evaluates bindings in random order. So the binding that
 * it names as the reason is random, and so is the order of missing roles.
 */
function comparableDecision(answer: { allowed: boolean; reason: string } | undefined): unknown {
  if (answer === undefined || answer.allowed) return { allowed: answer?.allowed };
  return { allowed: false, missing: [...answer.reason.matchAll(/\w+\.rbac[^,\]]*/g)].map(String).sort() };
}

/** Returns the message of a refusal with the missing roles sorted, because their order is random. */
function sortedMessage(message: unknown): string {
  return String(message).replace(/(resolution errors: \[+)([^\]]*)/, (_, before: string, missing: string) => {
    return before + missing.split(', ').sort().join(', ');
  });
}

async function rulesOf(side: Side, user: string, namespace: string): Promise<unknown> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const headers = { 'impersonate-user': user, 'impersonate-group': groups[0] ?? '' };
  const { text } = await side.send({ method: 'POST', path, headers, json: { spec: { namespace } } });
  const { resourceRules, nonResourceRules, incomplete } = JSON.parse(text).status;
  const sorted = (list: unknown[]) => [...list].map((rule) => JSON.stringify(rule)).sort();
  return { resourceRules: sorted(resourceRules), nonResourceRules: sorted(nonResourceRules), incomplete };
}
