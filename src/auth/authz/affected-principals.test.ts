import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { AffectedPrincipals } from '../permission-signals.ts';
import { affectedPrincipals, permissionGrantingKinds } from './affected-principals.ts';

function object(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', uid: 'u', ...metadata }, spec } as KubeObject;
}

/** Returns `nobody`, `everybody`, or the names of the principals, with a `#` in front of each team. */
function describeAffected(affected: AffectedPrincipals): string {
  if (affected === undefined) return 'nobody';
  if (affected === 'everybody') return affected;
  return [...[...affected.users].sort(), ...[...affected.teams].sort().map((team) => `#${team}`)].join(' ');
}

function change(kind: ResourceKind, before: JsonObject | undefined, after: JsonObject | undefined): string {
  return describeAffected(
    affectedPrincipals(kind, before && object(before, { generation: 1 }), after && object(after, { generation: 2 })),
  );
}

const user = (name: string, clusterRole = 'r') => ({ kind: 'User', name, clusterRole });
const team = (name: string) => ({ kind: 'Team', name, clusterRole: 'r' });
const access = (users: string[], teams: string[] = [], verbs = ['get']) => [{ verbs, users, teams }];

describe('affectedPrincipals (completions §5: a change of the caller’s permissions ends that caller’s watches)', () => {
  const people = { owner: { user: 'otto' }, members: [user('anna'), team('red')], access: access(['eva'], ['blue']) };

  it.each<[string, JsonObject]>([
    ['members', { members: [user('anna'), team('red'), user('bob')] }],
    ['members’ roles', { members: [user('anna', 'other'), team('red'), user('bob')] }],
    ['clusters', { allowedClusters: [{ name: 'c' }], members: [...people.members, user('bob')] }],
    ['templates', { allowedTemplates: [{ name: 't' }], members: [...people.members, user('bob')] }],
    ['access', { access: access(['eva', 'bob'], ['blue']) }],
    ['owner', { owner: { user: 'bob' } }],
  ])('changing the %s of a project affects everybody it names, before or after', (_, changes) => {
    expect(change(projectKind, people, { ...people, ...changes })).toBe('anna bob eva otto #blue #red');
  });

  it('creating or deleting a project affects all it names; a new description affects nobody', () => {
    expect(change(projectKind, undefined, people)).toBe('anna eva otto #blue #red');
    expect(change(projectKind, people, undefined)).toBe('anna eva otto #blue #red');
    expect(change(projectKind, people, { ...people, displayName: 'x', quotas: { project: {} } })).toBe('nobody');
    expect(change(projectKind, people, { ...people, access: access(['*']) })).toBe('everybody');
    expect(change(projectKind, undefined, {})).toBe('nobody');
  });

  it('changing an instance affects those named in the changed fields; creating or deleting it affects nobody', () => {
    const shared = { owner: { user: 'anna' }, access: access(['eva']), extraAccessRules: [{ users: ['rolf'] }] };
    const kind = virtualClusterInstanceKind;
    expect(change(kind, shared, { ...shared, owner: { team: 'red' } })).toBe('anna #red');
    expect(change(kind, shared, { ...shared, access: access(['bob'], ['blue']) })).toBe('bob eva #blue');
    expect(change(kind, shared, { ...shared, access: access(['eva'], [], ['use']) })).toBe('eva');
    expect(change(kind, shared, { ...shared, extraAccessRules: [{ teams: ['red'] }] })).toBe('rolf #red');
    expect(change(kind, shared, { ...shared, parameters: 'a: b' })).toBe('nobody');
    expect(change(kind, undefined, shared)).toBe('nobody');
    expect(change(kind, shared, undefined)).toBe('nobody');
    const rules = { template: { access: { rules: [{ users: ['ina'], clusterRole: 'view' }] } } };
    expect(change(kind, shared, { ...shared, ...rules })).toBe('anna eva ina rolf');
  });

  it.each([clusterKind, virtualClusterTemplateKind])(
    'changing a $kind affects those named in the changed fields',
    (kind) => {
      const shared = { owner: { user: 'anna' }, access: access(['eva']) };
      expect(change(kind, shared, { ...shared, access: access(['bob']) })).toBe('bob eva');
      expect(change(kind, shared, { ...shared, access: access(['*']) })).toBe('everybody');
      expect(change(kind, shared, { ...shared, owner: { user: 'bob' } })).toBe('anna bob');
      expect(change(kind, shared, { ...shared, displayName: 'x' })).toBe('nobody');
      expect(change(kind, undefined, shared)).toBe('nobody');
    },
  );

  it('a template that changes roles inside virtual clusters affects everybody', () => {
    const template = { template: { access: { defaultClusterRole: 'view' } } };
    expect(change(virtualClusterTemplateKind, {}, template)).toBe('everybody');
    const versions = { versions: [{ version: '1.0.0', ...template }] };
    expect(change(virtualClusterTemplateKind, { versions: [{ version: '1.0.0' }] }, versions)).toBe('everybody');
    expect(change(virtualClusterTemplateKind, template, { ...template, description: 'x' })).toBe('nobody');
  });

  it('changing a team affects those who join or leave it, not those who stay', () => {
    expect(change(teamKind, { users: ['anna', 'bob'] }, { users: ['bob', 'carl'] })).toBe('anna carl');
    expect(change(teamKind, undefined, { users: ['anna'] })).toBe('anna');
    expect(change(teamKind, { users: ['anna'] }, undefined)).toBe('anna');
    expect(change(teamKind, { users: ['anna'] }, { users: ['anna'], displayName: 'x' })).toBe('nobody');
    expect(change(teamKind, { access: access(['eva']) }, { access: [] })).toBe('eva');
  });

  it('changing the access list of a user affects those named in it', () => {
    expect(change(userKind, { access: access(['eva']) }, { access: access(['bob']) })).toBe('bob eva');
    expect(change(userKind, {}, { displayName: 'x' })).toBe('nobody');
  });

  it('status writes and kinds that grant no permissions affect nobody', () => {
    const [before, after] = [{ members: [user('anna')] }, { members: [user('bob')] }].map((spec) =>
      object(spec, { generation: 1 }),
    );
    expect(affectedPrincipals(projectKind, before, after)).toBeUndefined();
    expect(change({ ...projectKind, plural: 'others' }, people, {})).toBe('nobody');
  });

  it('any valid spec is accepted, only named principals are affected, and reverting a change affects the same ones', () => {
    const names = fc.array(fc.constantFrom('anna', 'bob', 'red'), { maxLength: 3 });
    const entry = fc.record({ users: names, teams: names }, { requiredKeys: [] });
    const spec = fc.record(
      {
        owner: fc.record({ user: fc.constantFrom('anna', ''), team: fc.constantFrom('red', '') }, { requiredKeys: [] }),
        members: fc.array(fc.constantFrom(user('bob'), team('red'))),
        access: fc.array(entry),
        users: names,
        extraAccessRules: fc.array(entry),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...permissionGrantingKinds), spec, spec, (kind, one, other) => {
        const [left, right] = [one as JsonObject, other as JsonObject];
        const forward = change(kind, left, right);
        expect(change(kind, right, left)).toBe(forward);
        expect(change(kind, left, left)).toBe('nobody');
        const text = JSON.stringify([left, right]);
        if (forward !== 'nobody' && forward !== 'everybody') {
          for (const name of forward.split(' ')) expect(text).toContain(name.replace('#', ''));
        }
      }),
    );
  });
});
