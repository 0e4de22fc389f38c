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
import type { JsonObject } from '../../lib/json-value.ts';
import type { Affected } from '../rights-signals.ts';
import { affectedBy, kindsWithRights } from './affected-by.ts';

function object(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', uid: 'u', ...metadata }, spec } as KubeObject;
}

/** In words: `everybody`, or the names, teams with a hash in front. */
function told(affected: Affected): string {
  if (affected === undefined) return 'nobody';
  if (affected === 'everybody') return affected;
  return [...[...affected.users].sort(), ...[...affected.teams].sort().map((team) => `#${team}`)].join(' ');
}

function change(kind: ResourceKind, before: JsonObject | undefined, after: JsonObject | undefined): string {
  return told(affectedBy(kind, before && object(before, { generation: 1 }), after && object(after, { generation: 2 })));
}

const user = (name: string, clusterRole = 'r') => ({ kind: 'User', name, clusterRole });
const team = (name: string) => ({ kind: 'Team', name, clusterRole: 'r' });
const access = (users: string[], teams: string[] = [], verbs = ['get']) => [{ verbs, users, teams }];

describe('affectedBy (completions §5: a change of the caller’s rights ends that caller’s watches)', () => {
  const people = { owner: { user: 'otto' }, members: [user('anna'), team('red')], access: access(['eva'], ['blue']) };

  it.each<[string, JsonObject]>([
    ['members', { members: [user('anna'), team('red'), user('bob')] }],
    ['members’ roles', { members: [user('anna', 'other'), team('red'), user('bob')] }],
    ['clusters', { allowedClusters: [{ name: 'c' }], members: [...people.members, user('bob')] }],
    ['templates', { allowedTemplates: [{ name: 't' }], members: [...people.members, user('bob')] }],
    ['access', { access: access(['eva', 'bob'], ['blue']) }],
    ['owner', { owner: { user: 'bob' } }],
  ])('is everybody in a project whose %s change, before or after', (_, changes) => {
    expect(change(projectKind, people, { ...people, ...changes })).toBe('anna bob eva otto #blue #red');
  });

  it('is everybody in a project that comes or goes, and nobody where it is described otherwise', () => {
    expect(change(projectKind, undefined, people)).toBe('anna eva otto #blue #red');
    expect(change(projectKind, people, undefined)).toBe('anna eva otto #blue #red');
    expect(change(projectKind, people, { ...people, displayName: 'x', quotas: { project: {} } })).toBe('nobody');
    expect(change(projectKind, people, { ...people, access: access(['*']) })).toBe('everybody');
    expect(change(projectKind, undefined, {})).toBe('nobody');
  });

  it('is whom an instance names in what changed, and nobody for one that is new or gone', () => {
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

  it.each([clusterKind, virtualClusterTemplateKind])('is whom a $kind names in what changed', (kind) => {
    const shared = { owner: { user: 'anna' }, access: access(['eva']) };
    expect(change(kind, shared, { ...shared, access: access(['bob']) })).toBe('bob eva');
    expect(change(kind, shared, { ...shared, access: access(['*']) })).toBe('everybody');
    expect(change(kind, shared, { ...shared, owner: { user: 'bob' } })).toBe('anna bob');
    expect(change(kind, shared, { ...shared, displayName: 'x' })).toBe('nobody');
    expect(change(kind, undefined, shared)).toBe('nobody');
  });

  it('is everybody where a template gives other roles inside of virtual clusters', () => {
    const template = { template: { access: { defaultClusterRole: 'view' } } };
    expect(change(virtualClusterTemplateKind, {}, template)).toBe('everybody');
    const versions = { versions: [{ version: '1.0.0', ...template }] };
    expect(change(virtualClusterTemplateKind, { versions: [{ version: '1.0.0' }] }, versions)).toBe('everybody');
    expect(change(virtualClusterTemplateKind, template, { ...template, description: 'x' })).toBe('nobody');
  });

  it('is who joins or leaves a team, not who stays', () => {
    expect(change(teamKind, { users: ['anna', 'bob'] }, { users: ['bob', 'carl'] })).toBe('anna carl');
    expect(change(teamKind, undefined, { users: ['anna'] })).toBe('anna');
    expect(change(teamKind, { users: ['anna'] }, undefined)).toBe('anna');
    expect(change(teamKind, { users: ['anna'] }, { users: ['anna'], displayName: 'x' })).toBe('nobody');
    expect(change(teamKind, { access: access(['eva']) }, { access: [] })).toBe('eva');
  });

  it('is whom a user lets look after them', () => {
    expect(change(userKind, { access: access(['eva']) }, { access: access(['bob']) })).toBe('bob eva');
    expect(change(userKind, {}, { displayName: 'x' })).toBe('nobody');
  });

  it('is nobody for writes of the status, and for kinds that give no rights', () => {
    const [before, after] = [{ members: [user('anna')] }, { members: [user('bob')] }].map((spec) =>
      object(spec, { generation: 1 }),
    );
    expect(affectedBy(projectKind, before, after)).toBeUndefined();
    expect(change({ ...projectKind, plural: 'others' }, people, {})).toBe('nobody');
  });

  it('takes whatever stands there, names only who is there, and names the same whichever way a change goes', () => {
    const names = fc.array(fc.constantFrom('anna', 'bob', 'red'), { maxLength: 3 });
    const entry = fc.record({ users: names, teams: names }, { requiredKeys: [] });
    const odd = fc.oneof(fc.jsonValue(), fc.constant(undefined));
    const spec = fc.record(
      {
        owner: fc.oneof(fc.record({ user: fc.constantFrom('anna', '') }), odd),
        members: fc.oneof(fc.array(fc.oneof(fc.constant(user('bob')), fc.constant(team('red')), odd)), odd),
        access: fc.oneof(fc.array(fc.oneof(entry, odd)), odd),
        users: fc.oneof(names, odd),
        extraAccessRules: fc.oneof(fc.array(entry), odd),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...kindsWithRights), spec, spec, (kind, one, other) => {
        const [left, right] = [one as JsonObject, other as JsonObject];
        const there = change(kind, left, right);
        expect(change(kind, right, left)).toBe(there);
        expect(change(kind, left, left)).toBe('nobody');
        const text = JSON.stringify([left, right]);
        if (there !== 'nobody' && there !== 'everybody') {
          for (const name of there.split(' ')) expect(text).toContain(name.replace('#', ''));
        }
      }),
    );
  });
});
