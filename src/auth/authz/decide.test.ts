import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminsGroup, controllersUser, managementGroup } from '../../api/naming.ts';
import type { Attributes } from './attributes.ts';
import { decide, rulesFor, type Subject } from './decide.ts';

const anna: Subject = { user: { name: 'anna', groups: ['system:authenticated'] }, system: false };
const admin: Subject = { user: { name: 'root', groups: [adminsGroup] }, system: false };
const system: Subject = { user: { name: controllersUser, groups: [] }, system: true };

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function resource(verb: string, plural: string, changes: Partial<Extract<Attributes, { resourceRequest: true }>> = {}) {
  const base = { group: managementGroup, version: 'v1', subresource: '', namespace: '', name: '' };
  return { resourceRequest: true, verb, resource: plural, ...base, ...changes } as const;
}

function path(verb: string, value: string): Attributes {
  return { resourceRequest: false, verb, path: value };
}

describe('decide', () => {
  it.each([
    '/api',
    '/api/v1',
    '/apis',
    '/apis/x/v1',
    '/openapi/v2',
    '/openapi/v3',
    '/version',
    '/version/',
    '/healthz',
  ])('lets everybody read %s (DISC-18)', (url) => {
    expect(decide(anna, path('get', url)).allowed).toBe(true);
    expect(decide(anna, path('post', url)).allowed).toBe(false);
    expect(decide(anna, path('delete', url)).allowed).toBe(false);
  });

  it.each(['/livez', '/livez/ping', '/readyz', '/readyz/shutdown'])('lets everybody read %s', (url) => {
    expect(decide(anna, path('get', url)).allowed).toBe(true);
  });

  it.each(['/metrics', '/backup', '/', '', '/apisx', '/apix', '/versions', '/healthzx', '/openapiv2', '/API'])(
    'keeps %j for admins',
    (url) => {
      expect(decide(anna, path('get', url)).allowed).toBe(false);
      expect(decide(admin, path('get', url)).allowed).toBe(true);
    },
  );

  it('lets everybody ask about themselves, and no more than ask (AUTHZ-07)', () => {
    for (const [group, plural] of [
      ['authorization.k8s.io', 'selfsubjectaccessreviews'],
      ['authorization.k8s.io', 'selfsubjectrulesreviews'],
      ['authentication.k8s.io', 'selfsubjectreviews'],
      [managementGroup, 'selves'],
      [managementGroup, 'selfsubjectaccessreviews'],
      [managementGroup, 'selfsubjectrulesreviews'],
    ] as const) {
      for (const verb of verbs) {
        expect(decide(anna, resource(verb, plural, { group })).allowed, `${verb} ${group}/${plural}`).toBe(
          verb === 'create',
        );
      }
    }
    const others = resource('create', 'subjectaccessreviews', { group: 'authorization.k8s.io' });
    expect(decide(anna, others).allowed).toBe(false);
  });

  it('lets everybody at their own access keys, which the kind limits', () => {
    for (const verb of verbs) {
      expect(decide(anna, resource(verb, 'ownedaccesskeys')).allowed, verb).toBe(verb !== 'deletecollection');
    }
    expect(decide(anna, resource('list', 'accesskeys')).allowed).toBe(false);
    expect(decide(anna, resource('list', 'ownedaccesskeys', { group: '' })).allowed).toBe(false);
  });

  it('lets admins do everything but write status', () => {
    for (const verb of verbs) {
      expect(decide(admin, resource(verb, 'projects')).allowed, verb).toBe(true);
      const onStatus = decide(admin, resource(verb, 'projects', { subresource: 'status' }));
      expect(onStatus.allowed, `${verb} status`).toBe(['get', 'list', 'watch'].includes(verb));
    }
    expect(decide(system, resource('update', 'projects', { subresource: 'status' })).allowed).toBe(true);
  });

  it("takes nobody for the server's own by name or group", () => {
    const pretender: Subject = { user: { name: controllersUser, groups: ['system:masters'] }, system: false };
    expect(decide(pretender, resource('get', 'projects')).allowed).toBe(false);
  });

  it('lets a key with a scope do nothing that its scope is not known to list', () => {
    const scoped: Subject = { ...admin, scoped: true };
    for (const verb of verbs) {
      expect(decide(scoped, resource(verb, 'projects')).allowed, verb).toBe(false);
      expect(decide(scoped, resource(verb, 'ownedaccesskeys')).allowed, verb).toBe(false);
    }
    expect(decide(scoped, path('get', '/metrics')).allowed).toBe(false);
  });

  it('refuses everything else, whatever is asked', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom('*', 'projects', 'status', 'ownedaccesskeys', 'selves'));
    fc.assert(
      fc.property(fc.constantFrom(...verbs, '*'), word, word, word, (verb, plural, subresource, group) => {
        fc.pre(!(group === managementGroup && /^(ownedaccesskeys|selves)$/.test(plural)));
        expect(decide(anna, resource(verb, plural, { subresource, group })).allowed).toBe(false);
      }),
    );
  });

  it('gives a reason for every answer', () => {
    for (const subject of [anna, admin, system]) {
      expect(decide(subject, resource('get', 'projects')).reason).not.toBe('');
    }
  });
});

describe('rulesFor', () => {
  it('shows the rows that the decision reads', () => {
    for (const rule of rulesFor(anna.user, 'x').resourceRules) {
      for (const group of rule.apiGroups) {
        for (const each of rule.resources) {
          const [plural = '', subresource = ''] = each.split('/');
          for (const verb of rule.verbs) {
            expect(decide(anna, resource(verb, plural, { group, subresource })).allowed, `${verb} ${each}`).toBe(true);
          }
        }
      }
    }
    expect(rulesFor(anna.user, 'x').resourceRules.some((rule) => rule.verbs.includes('*'))).toBe(false);
  });

  it('shows admins that they may everything', () => {
    expect(rulesFor(admin.user, 'x').resourceRules).toContainEqual({
      verbs: ['*'],
      apiGroups: ['*'],
      resources: ['*'],
    });
  });
});
