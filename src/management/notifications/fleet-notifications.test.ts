import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { Project, ProjectMember } from '../../api/management/v1/project.ts';
import type { SpaceInstance } from '../../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { managementGroup, projectNamespace, projectRoles } from '../../api/naming.ts';
import type { Caller } from '../../auth/authz/caller.ts';
import { readersOf } from '../../auth/authz/principals.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import { findNotifications } from './find-notifications.ts';
import { FleetNotifications } from './fleet-notifications.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const apiVersion = `${managementGroup}/v1`;
const [users, teams] = [['anna', 'bob'] as const, ['blue', 'green'] as const];

const owner: fc.Arbitrary<Owner> = fc.oneof(
  fc.constantFrom(...users).map((user) => ({ user })),
  fc.constantFrom(...teams).map((team) => ({ team })),
  fc.constant({}),
);
const member = fc.record({
  member: fc.oneof(
    fc.constantFrom(...users).map((name) => ({ kind: 'User' as const, name })),
    fc.constantFrom(...teams).map((name) => ({ kind: 'Team' as const, name })),
  ),
  role: fc.constantFrom<ProjectMember['clusterRole']>(projectRoles.admin, projectRoles.user),
});
const quotas = fc.record({ project: fc.constantFrom('8', '9'), anna: fc.constantFrom('8', '9') });
const content = fc.record({
  owner,
  members: fc.array(member, { maxLength: 3 }),
  quotas,
  instances: fc.array(fc.record({ owner, isSpace: fc.boolean(), isFailed: fc.boolean() }), { maxLength: 4 }),
});
const keyOwner = owner.filter(({ user, team }) => user !== undefined || team !== undefined);
const caller = fc.record({
  user: fc.constantFrom(...users),
  teams: fc.subarray([...teams]),
  isAdmin: fc.boolean(),
});

type Content = typeof content extends fc.Arbitrary<infer Value> ? Value : never;

function projectOf({ owner: of, members, quotas: used }: Content, index: number): Project {
  const name = `p${index}`;
  const limit = { virtualclusterinstances: '10' };
  return {
    apiVersion,
    kind: 'Project',
    metadata: { name, uid: name },
    spec: { owner: of, members: members.map(({ member: one, role }) => ({ ...one, clusterRole: role })) },
    status: {
      quotas: {
        project: { limit, used: { virtualclusterinstances: used.project } },
        user: { limit, used: { anna: { virtualclusterinstances: used.anna } } },
      },
    },
  };
}

describe('the notifications about all objects', () => {
  it('are the same for each user as those that the bell shows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { maxLength: 3 }),
        fc.array(keyOwner, { maxLength: 4 }),
        caller,
        async (contents, keyOwners, { user, teams: of, isAdmin }) => {
          const projects = contents.map(projectOf);
          const instances = contents.flatMap(({ instances: list }, project) =>
            list.map(({ owner: ownedBy, isSpace, isFailed }, index) => ({
              apiVersion,
              kind: isSpace ? 'SpaceInstance' : 'VirtualClusterInstance',
              metadata: { namespace: projectNamespace(`p${project}`), name: `i${index}`, uid: `${project}-${index}` },
              spec: { owner: ownedBy },
              status: { phase: isFailed ? ('Failed' as const) : ('Ready' as const) },
            })),
          );
          const keys: AccessKey[] = keyOwners.map((ownedBy, index) => ({
            apiVersion,
            kind: 'AccessKey',
            metadata: { name: `k${index}`, uid: `k${index}`, creationTimestamp: '2025-12-01T00:00:00Z' },
            spec: { ...ownedBy, ttl: 32 * 24 * 3600 },
          }));
          const inProject = (kind: string, project: string) =>
            instances.filter((one) => one.kind === kind && one.metadata.namespace === projectNamespace(project));
          const state = {
            projects: () => projects,
            instancesOf: (project: string) => inProject('VirtualClusterInstance', project) as VirtualClusterInstance[],
            spacesOf: (project: string) => inProject('SpaceInstance', project) as SpaceInstance[],
            accessKeys: () => keys,
            accessKeysOf: (field: string, name: string) =>
              keys.filter(({ spec }) => (field === 'user' ? spec?.user : spec?.team) === name),
            hasReadableInstance: (namespace: string, principal: string) =>
              instances.some((one) => one.metadata.namespace === namespace && readersOf(one).has(principal)),
          };
          const who: Caller = { user, team: undefined, subject: user, teams: of, isAdmin, isAuditor: false };
          const expected = await findNotifications({ caller: who, state, now });
          const fleet = await FleetNotifications.collect(state, now, new WorkBudget(1));
          const found = new Map([...fleet.of(who)].map((notification) => [notification.id, notification]));
          expect([...found.keys()].sort()).toEqual(expected.map(({ id }) => id).sort());
        },
      ),
      { numRuns: 200 },
    );
  });
});
