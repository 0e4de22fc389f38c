import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditorsGroup, projectNamespace, userGroup } from '../../../api/naming.ts';
import { accessStateOf, testInstance, testProject, testTeamObject } from '../access-state.fixture.ts';
import type { ReviewState } from '../access-state.ts';
import { decide } from '../decide.ts';
import { guardedKinds } from '../guarded-kinds.ts';
import { anyScope, subjectsOf, world } from '../random-world.fixture.ts';
import { reviewedObjects } from '../rules-review.ts';
import { compileScope } from '../scope.ts';
import type { AuthorizationSubject } from '../subject.ts';
import { accessOfSubject } from './effective-access.ts';
import { type AccessGrants, attributesOf, permissionsToCheck, type RequestTarget } from './object-grants.ts';

const listed = new Set([
  'projects',
  'virtualclusterinstances',
  'secrets',
  'configmaps',
  'clusters',
  'virtualclustertemplates',
  'users',
  'teams',
]);

/** Returns all objects of the state, and the kinds themselves, as targets of requests. */
function targetsIn(state: ReviewState): RequestTarget[] {
  return guardedKinds()
    .filter(({ kind }) => listed.has(kind.plural))
    .flatMap((guarded) => {
      const namespaces = guarded.kind.namespaced
        ? [...state.projects()].map(({ metadata }) => projectNamespace(metadata.name ?? ''))
        : [''];
      return namespaces.flatMap((namespace) => [
        { guarded, namespace, name: '' },
        ...[...reviewedObjects(guarded.kind, { state, namespace })].map(({ object }) => ({
          guarded,
          namespace,
          name: object.metadata.name ?? '',
        })),
      ]);
    });
}

async function allPages(subject: AuthorizationSubject, state: ReviewState, limit: number): Promise<AccessGrants[]> {
  const entries: AccessGrants[] = [];
  for (let page = await accessOfSubject(subject, state, { limit }); ; ) {
    entries.push(...page.entries);
    if (page.next === undefined) return entries;
    page = await accessOfSubject(subject, state, { limit, after: page.next });
  }
}

describe('the effective access of any subject in any state', () => {
  it('contains exactly the permissions that the authorizer grants, whatever the size of pages', {
    timeout: 60_000,
  }, async () => {
    let granted = 0;
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.array(anyScope, { maxLength: 1 }),
        fc.integer({ min: 1, max: 50 }),
        async (objects, given, limit) => {
          const state = accessStateOf(objects);
          for (const unscoped of subjectsOf(objects)) {
            const subject = { ...unscoped, scopes: given.map(compileScope) };
            const entries = await allPages(subject, state, limit);
            for (const target of targetsIn(state)) {
              const here = entries.filter(
                ({ resource, namespace, name }) =>
                  resource === '*' ||
                  (resource === target.guarded.kind.plural && namespace === target.namespace && name === target.name),
              );
              const isListed = (list: 'verbs' | 'subresources', text: string) =>
                here.some((entry) => entry[list].includes(text) || entry[list].includes('*'));
              const allowed = (verb: string, subresource: string) =>
                decide(subject, attributesOf(target, verb, subresource), state).allowed;
              const checks = permissionsToCheck(target);
              for (const { verb, subresource } of checks) {
                const expected =
                  subresource === ''
                    ? allowed(verb, '')
                    : checks.some((other) => other.subresource === subresource && allowed(other.verb, subresource));
                const actual = subresource === '' ? isListed('verbs', verb) : isListed('subresources', subresource);
                if (expected) granted++;
                if (expected !== actual) {
                  expect({
                    subject,
                    target: [target.guarded.kind.plural, target.namespace, target.name],
                    verb,
                    subresource,
                    here,
                  }).toBe(expected);
                }
              }
            }
          }
        },
      ),
      { numRuns: 12 },
    );
    expect(granted).toBeGreaterThan(1000);
  });
});

describe('the chain of grants', () => {
  const user = (name: string, ...groups: string[]): AuthorizationSubject => ({
    user: { name, groups: [userGroup(name), ...groups] },
    system: false,
    scopes: [],
  });
  const state = accessStateOf({
    projects: [
      testProject('red', {
        members: [{ kind: 'Team', name: 'leads', clusterRole: 'platform-management-project-admin' }],
      }),
    ],
    teams: [testTeamObject('leads', { users: ['anna'] }), testTeamObject('guests', { users: ['anna'] })],
    instances: [
      testInstance('red', 'demo', {
        owner: { user: 'anna' },
        access: [{ name: 'lookers', verbs: ['get'], teams: ['guests'] }],
      }),
    ],
  });
  const via = async (subject: AuthorizationSubject) =>
    (await accessOfSubject(subject, state, { limit: 500 })).entries
      .filter(({ name, resource }) => name === 'demo' && resource === 'virtualclusterinstances')
      .map((entry) => [entry.via, entry.verbs]);

  it('names each reason separately: ownership, the role of a team, and an access entry', async () => {
    const teams = ['platform:team:leads', 'platform:team:guests'];
    const all = ['get', 'update', 'patch', 'delete', 'use'];
    expect(await via(user('anna', ...teams))).toEqual([
      [['team leads', 'admin of the project'], all],
      [['owner of the object'], all],
      [['team guests', 'access entry "lookers" of the object'], ['get']],
    ]);
  });

  it('names the group of auditors', async () => {
    expect(await via(user('rita', auditorsGroup))).toEqual([[[`group ${auditorsGroup}`], ['get']]]);
  });
});
