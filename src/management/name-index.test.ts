import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { userKind } from '../api/management/v1/user.ts';
import { builtInClusterName, projectNamespace, projectRoles } from '../api/naming.ts';
import { deleteOptions, openManagementTestEnv, patchOptions } from './management.fixture.ts';

const users = ['a', 'b', 'c'];
const teams = ['t', 'u'];

type Step =
  | { readonly what: 'team'; readonly name: string; readonly users: readonly string[] | undefined }
  | { readonly what: 'project'; readonly members: readonly string[] }
  | { readonly what: 'instance'; readonly name: string; readonly owner: string | undefined; readonly shared: string[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    what: fc.constant('team' as const),
    name: fc.constantFrom(...teams),
    users: fc.option(fc.subarray(users), { nil: undefined }),
  }),
  fc.record({ what: fc.constant('project' as const), members: fc.subarray(users) }),
  fc.record({
    what: fc.constant('instance' as const),
    name: fc.constantFrom('i', 'j'),
    owner: fc.option(fc.constantFrom(...users), { nil: undefined }),
    shared: fc.subarray([...users, '*']),
  }),
);

describe('the indexes of users and teams', () => {
  it('the indexes are correct after any sequence of changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { state, verbs, sent, create, admin, remove } = await openManagementTestEnv();
        const put = async (plural: string, name: string, spec: JsonObject, project = '') => {
          const context = admin(project);
          const found = project === '' ? undefined : state.instance(projectNamespace(project), name);
          if ((found ?? (plural === 'teams' ? state.team(name) : state.project(name))) === undefined) {
            await verbs(plural).create(context, sent(plural, name, { spec }), patchOptions);
          } else {
            await verbs(plural).patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
          }
        };
        for (const name of users) await create(userKind.plural, name, {});
        await put('projects', 'p', { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] });
        const inTeams = new Map<string, readonly string[]>();
        const owned = new Map<string, readonly string[]>();
        let members: readonly string[] = [];
        for (const each of steps) {
          if (each.what === 'project') {
            members = each.members;
            const entries = members.map((name) => ({ kind: 'User', name, clusterRole: projectRoles.user }));
            await put('projects', 'p', { members: entries });
          } else if (each.what === 'team') {
            if (each.users !== undefined) await put('teams', each.name, { users: [...each.users] });
            else if (inTeams.has(each.name)) await verbs('teams').delete(admin(), each.name, deleteOptions);
            if (each.users === undefined) inTeams.delete(each.name);
            else inTeams.set(each.name, each.users);
          } else if (each.owner === undefined) {
            if (owned.delete(each.name)) await remove('virtualclusterinstances', each.name, 'p');
          } else {
            const access = [{ verbs: ['get'], users: each.shared }];
            await put('virtualclusterinstances', each.name, { owner: { user: each.owner }, access }, 'p');
            owned.set(each.name, [each.owner, ...each.shared]);
          }
          for (const name of users) {
            const expected = [...inTeams].filter(([, within]) => within.includes(name)).map(([team]) => team);
            expect(state.teamsOf(name)).toEqual(expected.sort());
            expect(state.projectsOf(`user:${name}`).has('p')).toBe(members.includes(name));
            const has = [...owned.values()].some((readers) => readers.includes(name));
            expect(state.hasReadableInstance(projectNamespace('p'), `user:${name}`)).toBe(has);
          }
          const toAll = [...owned.values()].some((readers) => readers.includes('*'));
          expect(state.hasReadableInstance(projectNamespace('p'), '*')).toBe(toAll);
          expect(state.hasReadableInstance(projectNamespace('q'), '*')).toBe(false);
          expect(state.instancesOn(builtInClusterName)).toBe(owned.size);
        }
      }),
      { numRuns: 40 },
    );
  });
});
