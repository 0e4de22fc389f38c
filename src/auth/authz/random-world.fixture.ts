import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import type { KubeObject } from '../../api/meta.ts';
import {
  adminsGroup,
  managementGroup,
  projectNamespace,
  projectRoles,
  scopeCliFlag,
  teamGroup,
  userGroup,
} from '../../api/naming.ts';
import {
  type TestObjects,
  testCluster,
  testConfigObject,
  testInstance,
  testObject,
  testProject,
  testSpace,
  testSpaceTemplate,
  testTeamObject,
  testTemplate,
  testUserObject,
} from './access-state.fixture.ts';
import type { AuthorizationSubject } from './subject.ts';

export const users = ['u1', 'u2', 'u3'];
export const teams = ['t1', 't2'];
export const projects = ['p1', 'p2'];
export const instances = ['i1', 'i2'];
export const clusters = ['c1', 'c2'];
export const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'use'];

const some = <T>(...values: T[]) => fc.subarray(values);
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);

const access = fc.array(
  fc.record({
    verbs: some('get', 'list', 'update', 'patch', 'delete', 'use', '*'),
    subresources: some('*', 'log', 'members', 'spec.quotas', 'kubeconfig'),
    users: some(...users, '*'),
    teams: some(...teams),
  }),
  { maxLength: 2 },
);
const owner = fc.oneof(fc.constant({}), fc.record({ user: oneOf(...users) }), fc.record({ team: oneOf(...teams) }));
const member = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: oneOf(...users), clusterRole: oneOf(...Object.values(projectRoles)) }),
  fc.record({ kind: fc.constant('Team'), name: oneOf(...teams), clusterRole: oneOf(...Object.values(projectRoles)) }),
);
const spec = fc.record({ owner, access });
const projectSpec = fc.record({
  owner,
  access,
  members: fc.array(member, { maxLength: 3 }),
  allowedClusters: some(...clusters, '*').map((names) => names.map((name) => ({ name }))),
  allowedTemplates: some({ name: 'x1' }, { kind: 'SpaceTemplate', name: 'x1' }),
});

function eventOf(of: KubeObject): KubeObject {
  const { name = '', namespace = '', uid = '' } = of.metadata;
  const { apiVersion, kind } = of;
  const event = testObject('Event', `e-${name}`, {}, namespace.slice(projectNamespace('').length));
  return { ...event, involvedObject: { apiVersion, kind, namespace, name, uid } };
}

/** Objects of all kinds with random owners, members and access lists. */
export const world: fc.Arbitrary<TestObjects> = fc
  .record({
    projects: fc.tuple(...projects.map(() => projectSpec)),
    instances: fc.tuple(...projects.flatMap(() => instances.map(() => spec))),
    spaces: fc.tuple(...projects.map(() => spec)),
    clusters: fc.tuple(...clusters.map(() => spec)),
    configOwners: fc.tuple(...projects.map(() => owner)),
    template: spec,
    spaceTemplate: spec,
    users: fc.tuple(...users.map(() => fc.record({ access }))),
    teams: fc.tuple(...teams.map(() => fc.record({ owner, access, users: some(...users) }))),
    selfService: fc.boolean(),
  })
  .map((objects) => {
    const allInstances = projects.flatMap((inProject, at) =>
      instances.map((name, offset) => testInstance(inProject, name, objects.instances[at * instances.length + offset])),
    );
    const spaces = projects.map((inProject, at) => testSpace(inProject, 's1', objects.spaces[at]));
    return {
      projects: projects.map((name, at) => testProject(name, objects.projects[at])),
      instances: allInstances,
      spaces,
      events: [...allInstances, ...spaces].map(eventOf),
      configObjects: projects.flatMap((inProject, at) =>
        (['Secret', 'ConfigMap'] as const).map((kind) =>
          testConfigObject(kind, inProject, 'x1', objects.configOwners[at] ?? {}),
        ),
      ),
      clusters: clusters.map((name, at) => testCluster(name, objects.clusters[at])),
      templates: [testTemplate('x1', objects.template)],
      spaceTemplates: [testSpaceTemplate('x1', objects.spaceTemplate)],
      users: users.map((name, at) => testUserObject(name, objects.users[at])),
      teams: teams.map((name, at) => testTeamObject(name, objects.teams[at])),
      selfService: objects.selfService,
    };
  });

const rule = fc.record(
  {
    resources: fc.array(
      fc.record({
        group: oneOf(managementGroup, ''),
        resources: some('projects', 'virtualclusterinstances', 'spaceinstances', '*/status', 'clusters'),
        resourceNames: some(...projects, 'i1', 'c1'),
      }),
      { maxLength: 2 },
    ),
    namespaces: some('', ...projects.map(projectNamespace)),
    nonResourceURLs: some('/metrics', '/apis/*', '*'),
    requestTargets: some('Management', 'Cluster', 'ProjectSpace', 'ProjectVirtualCluster'),
  },
  { requiredKeys: [] },
);

function scopeWith(rules: fc.Arbitrary<JsonObject[]>): fc.Arbitrary<JsonObject> {
  return fc.record(
    {
      [scopeCliFlag]: fc.boolean(),
      projects: some(...projects, '*').map((names) => names.map((name) => ({ project: name }))),
      virtualClusters: fc.array(
        fc.record({ project: oneOf(...projects, '*'), virtualCluster: oneOf(...instances, '*') }),
        { maxLength: 2 },
      ),
      clusters: some(...clusters, '*').map((names) => names.map((name) => ({ cluster: name }))),
      spaces: fc.array(fc.record({ project: oneOf(...projects, '*'), space: oneOf('s1', '*') }), { maxLength: 2 }),
      rules,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
}

/**
 * A scope whose rules have no verbs. With verbs, a rule may allow a list of objects and deny a `get` of objects in the
 * list.
 */
export const scope = scopeWith(fc.array(rule, { maxLength: 2 }) as fc.Arbitrary<JsonObject[]>);
export const anyScope = scopeWith(
  fc.array(
    fc.tuple(rule, some(...verbs)).map(([each, some]) => ({ ...each, verbs: some })),
    { maxLength: 2 },
  ) as fc.Arbitrary<JsonObject[]>,
);

export function subjectsOf(objects: TestObjects): AuthorizationSubject[] {
  const inTeams = (name: string) =>
    (objects.teams ?? [])
      .filter((each) => ((each.spec as JsonObject).users as string[]).includes(name))
      .map(({ metadata }) => teamGroup(metadata.name ?? ''));
  const subject = (name: string, groups: string[]): AuthorizationSubject => ({
    user: { name, groups },
    system: false,
    scopes: [],
  });
  return [
    ...users.map((name) => subject(name, [userGroup(name), ...inTeams(name)])),
    subject(teamGroup('t1'), [teamGroup('t1')]),
    subject('u1', ['system:authenticated']),
    subject('root', [adminsGroup]),
  ];
}
