import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adminsGroup,
  controllersUser,
  managementGroup,
  projectNamespace,
  projectRoles,
  teamGroup,
  userGroup,
} from '../../api/naming.ts';
import {
  accessStateOf,
  testAccessKey,
  testCluster,
  testConfigObject,
  testInstance,
  testObject,
  testProject,
  testTeamObject,
  testTemplate,
  testUserObject,
} from './access-state.fixture.ts';
import type { Attributes, ResourceAttributes } from './attributes.ts';
import { decide } from './decide.ts';
import type { AuthorizationSubject } from './subject.ts';

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function subject(name: string, ...groups: string[]): AuthorizationSubject {
  return { user: { name, groups: ['system:authenticated', ...groups] }, system: false, scopes: [] };
}

const asUser = (name: string, ...teams: string[]) => subject(name, userGroup(name), ...teams.map(teamGroup));

const anna = asUser('anna');
const admin = subject('root', adminsGroup);
const system: AuthorizationSubject = { user: { name: controllersUser, groups: [] }, system: true, scopes: [] };

function resource(verb: string, plural: string, changes: Partial<ResourceAttributes> = {}): ResourceAttributes {
  const base = { group: managementGroup, version: 'v1', subresource: '', namespace: '', name: '' };
  return { resourceRequest: true, verb, resource: plural, ...base, ...changes };
}

function path(verb: string, value: string): Attributes {
  return { resourceRequest: false, verb, path: value };
}

const access = (...entries: JsonObject[]) => ({ access: entries });
const member = (kind: 'User' | 'Team', name: string, role: keyof typeof projectRoles) => ({
  kind,
  name,
  clusterRole: projectRoles[role],
});

const shared = access(
  { verbs: ['get'], users: ['reader'] },
  { verbs: ['update'], users: ['writer'] },
  { verbs: ['use'], users: ['borrower'] },
  { verbs: ['delete'], teams: ['removers'] },
  { verbs: ['get'], subresources: ['log'], users: ['logger'] },
  { verbs: ['*'], users: ['heir'] },
  { verbs: ['*'], subresources: ['*'], users: ['lord'] },
);

const state = accessStateOf({
  projects: [
    testProject('red', {
      owner: { user: 'founder' },
      members: [
        member('User', 'chief', 'admin'),
        member('User', 'anna', 'user'),
        member('Team', 'crew', 'user'),
        member('User', 'guest', 'viewer'),
      ],
      allowedClusters: [{ name: 'c-red' }],
      allowedTemplates: [{ name: 't-red' }],
      access: [...shared.access, { verbs: ['update'], subresources: ['spec.quotas'], users: ['bursar'] }],
    }),
    testProject('blue', { members: [member('User', 'bob', 'admin')], allowedClusters: [{ name: '*' }] }),
  ],
  instances: [
    testInstance('red', 'annas', { owner: { user: 'anna' } }),
    testInstance('red', 'crews', { owner: { team: 'crew' } }),
    testInstance('red', 'shared', { owner: { user: 'root' }, ...shared }),
    testInstance('blue', 'bobs', { owner: { user: 'bob' }, access: [{ verbs: ['get'], users: ['*'] }] }),
  ],
  clusters: [testCluster('c-red'), testCluster('c-blue', { owner: { user: 'keeper' }, ...shared })],
  templates: [testTemplate('t-red'), testTemplate('t-blue', shared)],
  users: ['anna', 'chief', 'guest', 'bob', 'mate', 'stranger'].map((name) => testUserObject(name)),
  teams: [testTeamObject('crew', { users: ['mate'] }), testTeamObject('removers', { owner: { user: 'keeper' } })],
  accessKeys: [testAccessKey('annas', { user: 'anna' }), testAccessKey('crews', { team: 'crew' })],
  events: [
    ...['annas', 'crews', 'deleted'].map((name) => ({
      ...testObject('Event', `of-key-${name}`, {}, 'red'),
      involvedObject: {
        apiVersion: `${managementGroup}/v1`,
        kind: 'AccessKey',
        namespace: projectNamespace('red'),
        name,
        uid: `uid-of--${name}`,
      },
    })),
    {
      ...testObject('Event', 'of-annas', {}, 'red'),
      involvedObject: {
        apiVersion: `${managementGroup}/v1`,
        kind: 'VirtualClusterInstance',
        namespace: projectNamespace('red'),
        name: 'annas',
        uid: 'uid-of-red-annas',
      },
    },
  ],
  configObjects: (['Secret', 'ConfigMap'] as const).flatMap((kind) => [
    testConfigObject(kind, 'red', 'annas', { user: 'anna' }),
    testConfigObject(kind, 'red', 'crews', { team: 'crew' }),
    testConfigObject(kind, 'red', 'guests', { user: 'guest' }),
    testConfigObject(kind, 'red', 'bobs', { user: 'bob' }),
    testConfigObject(kind, 'red', 'removers', { team: 'removers' }),
  ]),
});

const red = { namespace: projectNamespace('red') };
const may = (who: AuthorizationSubject, verb: string, plural: string, where: Partial<ResourceAttributes> = {}) =>
  decide(who, resource(verb, plural, where), state).allowed;

describe('decide', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/x/v1',
    '/openapi/v2',
    '/openapi/v3',
    '/version',
    '/version/',
    '/healthz',
  ])('every caller may read %s (DISC-18)', (url) => {
    expect(decide(anna, path('get', url), state).allowed).toBe(true);
    expect(decide(anna, path('post', url), state).allowed).toBe(false);
    expect(decide(anna, path('delete', url), state).allowed).toBe(false);
  });

  it.each(['/livez', '/livez/ping', '/readyz', '/readyz/shutdown'])('every caller may read %s', (url) => {
    expect(decide(anna, path('get', url), state).allowed).toBe(true);
  });

  it.each(['/metrics', '/backup', '', '/apisx', '/apix', '/versions', '/healthzx', '/openapiv2', '/API'])(
    'only admins may read %j',
    (url) => {
      expect(decide(anna, path('get', url), state).allowed).toBe(false);
      expect(decide(admin, path('get', url), state).allowed).toBe(true);
    },
  );

  it('every caller may create reviews about themselves, and nothing else on those kinds (AUTHZ-07)', () => {
    for (const [group, plural] of [
      ['authorization.k8s.io', 'selfsubjectaccessreviews'],
      ['authorization.k8s.io', 'selfsubjectrulesreviews'],
      ['authentication.k8s.io', 'selfsubjectreviews'],
      [managementGroup, 'selves'],
      [managementGroup, 'selfsubjectaccessreviews'],
      [managementGroup, 'selfsubjectrulesreviews'],
    ] as const) {
      for (const verb of verbs) expect(may(anna, verb, plural, { group }), `${verb} ${plural}`).toBe(verb === 'create');
    }
    for (const plural of ['subjectaccessreviews', 'localsubjectaccessreviews']) {
      expect(may(anna, 'create', plural, { group: 'authorization.k8s.io' })).toBe(false);
      expect(may(admin, 'create', plural, { group: 'authorization.k8s.io' })).toBe(true);
    }
  });

  it('every caller may use ownedaccesskeys, which the kind limits to their own', () => {
    for (const verb of verbs) expect(may(anna, verb, 'ownedaccesskeys'), verb).toBe(verb !== 'deletecollection');
    expect(may(anna, 'list', 'accesskeys')).toBe(false);
    expect(may(anna, 'list', 'ownedaccesskeys', { group: '' })).toBe(false);
    expect(may(anna, 'get', 'users', { name: 'anna', subresource: 'accesskeys' })).toBe(true);
    expect(may(anna, 'get', 'users', { name: 'bob', subresource: 'accesskeys' })).toBe(false);
    expect(may(asUser('mate', 'crew'), 'get', 'teams', { name: 'crew', subresource: 'accesskeys' })).toBe(true);
    expect(may(anna, 'get', 'teams', { name: 'crew', subresource: 'accesskeys' })).toBe(false);
  });

  it('admins may do everything', () => {
    for (const verb of verbs) {
      expect(may(admin, verb, 'projects'), verb).toBe(true);
      expect(may(admin, verb, 'projects', { subresource: 'status' }), `${verb} status`).toBe(true);
    }
    expect(may(system, 'update', 'projects', { subresource: 'status' })).toBe(true);
  });

  it('callers who may write an object may send writes of its status, which change nothing', () => {
    for (const verb of ['update', 'patch']) {
      const ofAnna = { ...red, name: 'annas', subresource: 'status' };
      expect(may(anna, verb, 'virtualclusterinstances', ofAnna), verb).toBe(true);
      expect(may(asUser('bob'), verb, 'virtualclusterinstances', ofAnna), verb).toBe(false);
    }
  });

  it('every caller may read the definitions of kinds, and only admins may do anything else with them', () => {
    const definitions = { group: 'apiextensions.k8s.io' };
    for (const verb of verbs) {
      const isRead = ['get', 'list', 'watch'].includes(verb);
      expect(may(anna, verb, 'customresourcedefinitions', definitions), verb).toBe(isRead);
    }
  });

  it('a name alone makes nobody a system caller, an admin or a user', () => {
    for (const name of [controllersUser, adminsGroup, 'root', 'anna']) {
      const pretender = subject(name, 'system:masters');
      expect(may(pretender, 'get', 'virtualclusterinstances', { ...red, name: 'annas' }), name).toBe(false);
      expect(may(pretender, 'get', 'projects', { name: 'red' }), name).toBe(false);
    }
  });

  it('everything without a rule in the table is denied', () => {
    const known = /^(ownedaccesskeys|selves|self.*|directclusterendpointtokens)$/;
    const word = fc.oneof(fc.string(), fc.constantFrom('*', 'projects', 'status', 'pods', 'spec.*', 'restricted'));
    fc.assert(
      fc.property(fc.constantFrom(...verbs, '*', 'use'), word, word, word, word, (verb, plural, sub, group, name) => {
        fc.pre(!known.test(plural) && !(sub === '' && ['list', 'watch'].includes(verb)));
        expect(may(asUser('stranger'), verb, plural, { subresource: sub, group, name })).toBe(false);
      }),
    );
  });

  it('every decision has a reason', () => {
    for (const who of [anna, admin, system, asUser('stranger')]) {
      expect(decide(who, resource('get', 'projects', { name: 'red' }), state).reason).not.toBe('');
    }
  });
});

/** The callers of the tests, by name. Most tests list the names of the callers who are allowed to make a request. */
const everyone: Readonly<Record<string, AuthorizationSubject>> = {
  ...Object.fromEntries(
    [
      'chief',
      'anna',
      'guest',
      'founder',
      'bob',
      'reader',
      'writer',
      'borrower',
      'logger',
      'heir',
      'lord',
      'bursar',
    ].map((name) => [name, asUser(name)]),
  ),
  keeper: asUser('keeper'),
  mate: asUser('mate', 'crew'),
  crew: subject(teamGroup('crew'), teamGroup('crew')),
  remover: asUser('rita', 'removers'),
  subject: subject('anna'),
  stranger: asUser('stranger'),
};

function whoMay(verb: string, plural: string, where: Partial<ResourceAttributes>): string[] {
  return Object.keys(everyone).filter((name) => may(everyone[name] ?? anna, verb, plural, where));
}

describe('the permission table (completions §8)', () => {
  const vci = 'virtualclusterinstances';

  it.each<[string, string, Partial<ResourceAttributes>, string[]]>([
    [
      'get',
      'projects',
      { name: 'red' },
      ['chief', 'anna', 'guest', 'founder', 'reader', 'heir', 'lord', 'mate', 'crew'],
    ],
    [
      'get',
      'projects',
      { name: 'red', subresource: 'members' },
      ['chief', 'anna', 'guest', 'founder', 'reader', 'heir', 'lord', 'mate', 'crew'],
    ],
    ['update', 'projects', { name: 'red' }, ['chief', 'founder', 'writer', 'heir', 'lord']],
    ['patch', 'projects', { name: 'red' }, ['chief', 'founder', 'heir', 'lord']],
    [
      'update',
      'projects',
      { name: 'red', subresource: 'spec.members' },
      ['chief', 'founder', 'writer', 'heir', 'lord'],
    ],
    ['update', 'projects', { name: 'red', subresource: 'spec.quotas' }, ['lord', 'bursar']],
    ['update', 'projects', { name: 'red', subresource: 'spec.access' }, ['lord']],
    ['update', 'projects', { name: 'red', subresource: 'spec.unheardOf' }, []],
    ['delete', 'projects', { name: 'red' }, ['heir', 'lord', 'remover']],
    ['create', 'projects', {}, []],
    ['create', 'projects', { name: 'red', subresource: 'importvirtualcluster' }, ['chief']],
    ['list', vci, red, ['chief', 'anna', 'guest', 'founder', 'reader', 'heir', 'lord', 'mate', 'crew']],
    ['watch', vci, {}, Object.keys(everyone)],
    ['get', vci, { ...red, name: 'annas' }, ['chief', 'anna']],
    ['get', vci, { ...red, name: 'crews' }, ['chief', 'mate', 'crew']],
    ['get', vci, { ...red, name: 'shared' }, ['chief', 'reader', 'heir', 'lord']],
    ['get', vci, { namespace: projectNamespace('blue'), name: 'bobs' }, Object.keys(everyone)],
    ['create', vci, red, ['chief', 'anna', 'mate', 'crew']],
    ['create', vci, { ...red, subresource: 'restricted' }, ['chief']],
    ['update', vci, { ...red, name: 'annas' }, ['chief', 'anna']],
    ['update', vci, { ...red, name: 'shared' }, ['chief', 'writer', 'heir', 'lord']],
    ['update', vci, { ...red, name: 'shared', subresource: 'spec.access' }, ['chief', 'lord']],
    ['update', vci, { ...red, name: 'annas', subresource: 'spec.owner' }, ['chief']],
    ['delete', vci, { ...red, name: 'shared' }, ['chief', 'heir', 'lord', 'remover']],
    ['deletecollection', vci, red, ['chief']],
    ['use', vci, { ...red, name: 'annas' }, ['chief', 'anna']],
    ['use', vci, { ...red, name: 'shared' }, ['chief', 'borrower', 'heir', 'lord']],
    ['create', vci, { ...red, name: 'shared', subresource: 'kubeconfig' }, ['chief', 'borrower', 'heir', 'lord']],
    ['get', vci, { ...red, name: 'shared', subresource: 'log' }, ['chief', 'reader', 'logger', 'heir', 'lord']],
    ['get', 'clusters', { name: 'c-red' }, ['chief', 'anna', 'guest', 'bob', 'mate', 'crew']],
    ['get', 'clusters', { name: 'c-blue' }, ['bob', 'reader', 'heir', 'lord', 'keeper']],
    ['use', 'clusters', { name: 'c-blue' }, ['borrower', 'heir', 'lord']],
    ['update', 'clusters', { name: 'c-blue' }, ['writer', 'heir', 'lord', 'keeper']],
    ['update', 'clusters', { name: 'c-blue', subresource: 'spec.displayName' }, ['writer', 'heir', 'lord', 'keeper']],
    ['update', 'clusters', { name: 'c-blue', subresource: 'spec.unusable' }, ['writer', 'heir', 'lord']],
    ['update', 'clusters', { name: 'c-blue', subresource: 'spec.access' }, ['lord']],
    ['get', 'clusters', { name: 'c-blue', subresource: 'virtualclusters' }, ['borrower', 'heir', 'lord']],
    // The usage of a cluster includes the usage of other projects.
    ['get', 'clusters', { name: 'c-red', subresource: 'usage' }, []],
    ['get', 'clusters', { name: 'c-blue', subresource: 'usage' }, ['lord', 'keeper']],
    ['create', 'clusters', { name: 'c-blue', subresource: 'accesskey' }, []],
    ['create', 'clusters', {}, []],
    ['get', 'virtualclustertemplates', { name: 't-red' }, ['chief', 'anna', 'guest', 'mate', 'crew']],
    ['get', 'virtualclustertemplates', { name: 't-blue' }, ['reader', 'heir', 'lord']],
    ['get', 'users', { name: 'mate' }, ['chief', 'anna', 'guest', 'mate', 'crew']],
    ['get', 'users', { name: 'bob' }, ['bob']],
    ['update', 'users', { name: 'anna' }, ['anna']],
    ['update', 'users', { name: 'anna', subresource: 'spec.displayName' }, ['anna']],
    ['update', 'users', { name: 'anna', subresource: 'spec.password' }, ['anna']],
    ['update', 'users', { name: 'anna', subresource: 'spec.groups' }, []],
    ['update', 'users', { name: 'anna', subresource: 'spec.email' }, []],
    ['update', 'users', { name: 'anna', subresource: 'metadata.finalizers' }, []],
    [
      'update',
      'projects',
      { name: 'red', subresource: 'metadata.labels' },
      ['chief', 'founder', 'writer', 'heir', 'lord'],
    ],
    ['get', 'teams', { name: 'crew' }, ['chief', 'anna', 'guest', 'mate', 'crew']],
    ['get', 'teams', { name: 'removers' }, ['keeper', 'remover']],
    ['update', 'teams', { name: 'removers', subresource: 'spec.users' }, []],
    [
      'get',
      'namespaces',
      { group: '', name: red.namespace },
      ['chief', 'anna', 'guest', 'founder', 'reader', 'heir', 'lord', 'mate', 'crew'],
    ],
    ['get', 'events', { group: '', ...red, name: 'of-annas' }, ['chief', 'anna']],
    ['get', 'events', { group: 'events.k8s.io', ...red, name: 'of-annas' }, ['chief', 'anna']],
    ['get', 'events', { group: '', ...red, name: 'of-key-annas' }, ['anna']],
    ['get', 'events', { group: 'events.k8s.io', ...red, name: 'of-key-annas' }, ['anna']],
    ['get', 'events', { group: '', ...red, name: 'of-key-crews' }, ['chief', 'mate', 'crew']],
    ['get', 'events', { group: '', ...red, name: 'of-key-deleted' }, []],
    ['create', 'events', { group: '', ...red }, []],
    ['get', 'leases', { group: 'coordination.k8s.io', ...red, name: 'x' }, []],
    ['list', 'secrets', { group: '', ...red }, ['chief', 'anna', 'mate', 'crew']],
    ['list', 'secrets', { group: '' }, Object.keys(everyone)],
    ['get', 'secrets', { group: '', ...red, name: 'annas' }, ['chief', 'anna']],
    ['get', 'secrets', { group: '', ...red, name: 'crews' }, ['chief', 'mate', 'crew']],
    ['create', 'secrets', { group: '', ...red }, ['chief', 'anna', 'mate', 'crew']],
    ['update', 'secrets', { group: '', ...red, name: 'annas' }, ['chief', 'anna']],
    ['patch', 'secrets', { group: '', ...red, name: 'crews' }, ['chief', 'mate', 'crew']],
    ['delete', 'secrets', { group: '', ...red, name: 'annas' }, ['chief', 'anna']],
    ['deletecollection', 'secrets', { group: '', ...red }, ['chief']],
    // The owner of `guests` is only a viewer of the project. The owner of `bobs` is a user of another project.
    ['get', 'secrets', { group: '', ...red, name: 'guests' }, ['chief']],
    ['delete', 'secrets', { group: '', ...red, name: 'bobs' }, ['chief']],
    ['list', 'configmaps', { group: '', ...red }, ['chief', 'anna', 'guest', 'mate', 'crew']],
    ['get', 'configmaps', { group: '', ...red, name: 'annas' }, ['chief', 'anna', 'guest', 'mate', 'crew']],
    ['create', 'configmaps', { group: '', ...red }, ['chief', 'anna', 'mate', 'crew']],
    ['update', 'configmaps', { group: '', ...red, name: 'annas' }, ['chief', 'anna']],
    ['delete', 'configmaps', { group: '', ...red, name: 'guests' }, ['chief']],
    ['deletecollection', 'configmaps', { group: '', ...red }, ['chief']],
  ])('%s %s %j', (verb, plural, where, expected) => {
    expect(whoMay(verb, plural, where)).toEqual(Object.keys(everyone).filter((name) => expected.includes(name)));
    expect(may(admin, verb, plural, where)).toBe(true);
  });

  it('members cannot read a Secret of a team without a role, even if they have a role themselves', () => {
    const both = asUser('anna', 'removers', 'crew');
    const verbsOn = (name: string) => verbs.filter((verb) => may(both, verb, 'secrets', { group: '', ...red, name }));
    expect(verbsOn('crews')).toEqual(expect.arrayContaining(['get', 'update', 'patch', 'delete']));
    for (const verb of ['get', 'update', 'patch', 'delete']) expect(verbsOn('removers')).not.toContain(verb);
  });

  it('a permission that depends on the object is denied without a name, with a reason that says so', () => {
    for (const verb of ['get', 'update', 'patch', 'delete', 'use']) {
      expect(may(everyone.chief ?? anna, verb, vci, red)).toBe(true);
      const decision = decide(anna, resource(verb, vci, red), state);
      expect(decision, verb).toEqual({
        allowed: false,
        reason: 'this permission depends on the object; request an object by name',
      });
      expect(may(everyone.chief ?? anna, verb, vci)).toBe(false);
    }
  });

  it('a denied create or list does not suggest to name an object', () => {
    const denied = { allowed: false, reason: 'no role, ownership or access entry grants this permission' };
    expect(decide(everyone.guest ?? anna, resource('create', vci, red), state)).toEqual(denied);
    for (const verb of ['create', 'list', 'watch']) {
      expect(decide(anna, resource(verb, vci, { namespace: 'platform-p-nowhere' }), state), verb).toEqual(denied);
    }
    expect(decide(anna, resource('create', vci, { ...red, subresource: 'kubeconfig' }), state).reason).toBe(
      'this permission depends on the object; request an object by name',
    );
  });

  it('only those who may create an object learn that it does not exist', () => {
    for (const verb of ['get', 'update', 'patch', 'delete']) {
      expect(whoMay(verb, vci, { ...red, name: 'nothing' }), verb).toEqual(['chief', 'anna', 'mate', 'crew']);
      expect(whoMay(verb, 'projects', { name: 'nothing' }), verb).toEqual([]);
    }
    expect(whoMay('create', vci, { ...red, name: 'nothing', subresource: 'kubeconfig' })).toEqual(['chief']);
  });

  it('with self-service every user and team may create projects, within limits', () => {
    const open = accessStateOf({ selfService: true });
    const may = (who: AuthorizationSubject, verb: string, where: Partial<ResourceAttributes> = {}) =>
      decide(who, resource(verb, 'projects', where), open).allowed;
    expect(may(anna, 'create')).toBe(true);
    expect(may(everyone.crew ?? anna, 'create')).toBe(true);
    expect(may(everyone.subject ?? anna, 'create')).toBe(false);
    expect(may(anna, 'patch', { name: 'new' })).toBe(true);
    expect(may(anna, 'create', { name: 'new', subresource: 'spec.displayName' })).toBe(true);
    for (const field of [
      'allowedClusters',
      'allowedTemplates',
      'quotas',
      'requireTemplate',
      'hostIsolation',
      'owner',
      'access',
    ]) {
      expect(may(anna, 'create', { name: 'new', subresource: `spec.${field}` }), field).toBe(false);
    }
  });

  it('a gateway request is allowed to all who may use its target, whatever it does there', () => {
    const through = (name: string, target: Attributes['target']) =>
      decide(
        everyone[name] ?? anna,
        { ...resource('delete', 'pods', { group: '', namespace: 'x', name: 'y' }), ...(target && { target }) },
        state,
      ).allowed;
    const shared = { type: 'ProjectVirtualCluster', project: 'red', virtualCluster: 'shared' } as const;
    expect(Object.keys(everyone).filter((name) => through(name, shared))).toEqual([
      'chief',
      'borrower',
      'heir',
      'lord',
    ]);
    const blue = { type: 'Cluster', cluster: 'c-blue' } as const;
    expect(Object.keys(everyone).filter((name) => through(name, blue))).toEqual(['borrower', 'heir', 'lord']);
    expect(through('anna', undefined)).toBe(false);
    const missing = { type: 'ProjectVirtualCluster', project: 'red', virtualCluster: 'nothing' } as const;
    expect(through('anna', missing)).toBe(false);
  });
});
