import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKind } from '../../api/core/event.ts';
import { namespaceKind } from '../../api/core/namespace.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
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
import type { ResourceKind } from '../../api/resource.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import {
  cluster,
  instance,
  object,
  project,
  stateOf,
  team,
  template,
  user,
  type World,
} from './access-state.fixture.ts';
import type { Attributes, RequestTarget, ResourceAttributes } from './attributes.ts';
import { decide } from './decide.ts';
import { guardedKinds } from './guarded-kinds.ts';
import { readerOf } from './reader.ts';
import { rulesFor } from './rules-review.ts';
import { compileScope } from './scope.ts';
import type { Subject } from './subject.ts';

const users = ['u1', 'u2', 'u3'];
const teams = ['t1', 't2'];
const projects = ['p1', 'p2'];
const instances = ['i1', 'i2'];
const clusters = ['c1', 'c2'];
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'use'];

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
  allowedTemplates: some('x1').map((names) => names.map((name) => ({ name }))),
});

function eventOf(of: KubeObject): KubeObject {
  const { name = '', namespace = '', uid = '' } = of.metadata;
  const { apiVersion, kind } = of;
  const event = object('Event', `e-${name}`, {}, namespace.slice(projectNamespace('').length));
  return { ...event, involvedObject: { apiVersion, kind, namespace, name, uid } };
}

const world: fc.Arbitrary<World> = fc
  .record({
    projects: fc.tuple(...projects.map(() => projectSpec)),
    instances: fc.tuple(...projects.flatMap(() => instances.map(() => spec))),
    clusters: fc.tuple(...clusters.map(() => spec)),
    template: spec,
    users: fc.tuple(...users.map(() => fc.record({ access }))),
    teams: fc.tuple(...teams.map(() => fc.record({ owner, access, users: some(...users) }))),
    selfService: fc.boolean(),
  })
  .map((made) => {
    const placed = projects.flatMap((inProject, at) =>
      instances.map((name, offset) => instance(inProject, name, made.instances[at * instances.length + offset])),
    );
    return {
      projects: projects.map((name, at) => project(name, made.projects[at])),
      instances: placed,
      events: placed.map(eventOf),
      clusters: clusters.map((name, at) => cluster(name, made.clusters[at])),
      templates: [template('x1', made.template)],
      users: users.map((name, at) => user(name, made.users[at])),
      teams: teams.map((name, at) => team(name, made.teams[at])),
      selfService: made.selfService,
    };
  });

const rule = fc.record(
  {
    resources: fc.array(
      fc.record({
        group: oneOf(managementGroup, ''),
        resources: some('projects', 'virtualclusterinstances', '*/status', 'clusters'),
        resourceNames: some(...projects, 'i1', 'c1'),
      }),
      { maxLength: 2 },
    ),
    namespaces: some('', ...projects.map(projectNamespace)),
    nonResourceURLs: some('/metrics', '/apis/*', '*'),
    requestTargets: some('Management', 'Cluster', 'ProjectVirtualCluster'),
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
      spaces: some({ project: 'p1', space: '*' }),
      rules,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
}

/** Rules that name no verbs: with those that do, somebody may list what they may not get. */
const scope = scopeWith(fc.array(rule, { maxLength: 2 }) as fc.Arbitrary<JsonObject[]>);
const anyScope = scopeWith(
  fc.array(
    fc.tuple(rule, some(...verbs)).map(([each, some]) => ({ ...each, verbs: some })),
    { maxLength: 2 },
  ) as fc.Arbitrary<JsonObject[]>,
);

function subjectsOf(made: World): Subject[] {
  const inTeams = (name: string) =>
    (made.teams ?? [])
      .filter((each) => ((each.spec as JsonObject).users as string[]).includes(name))
      .map(({ metadata }) => teamGroup(metadata.name ?? ''));
  const subject = (name: string, groups: string[]): Subject => ({ user: { name, groups }, system: false, scopes: [] });
  return [
    ...users.map((name) => subject(name, [userGroup(name), ...inTeams(name)])),
    subject(teamGroup('t1'), [teamGroup('t1')]),
    subject('u1', ['system:authenticated']),
    subject('root', [adminsGroup]),
  ];
}

const targets: readonly (RequestTarget | undefined)[] = [
  undefined,
  { type: 'Cluster', cluster: 'c1' },
  { type: 'ProjectVirtualCluster', project: 'p1', virtualCluster: 'i1' },
];

/** Everything that can be asked in such a world, and some that cannot. */
const questions: readonly Attributes[] = [
  ...guardedKinds().flatMap(({ kind, rights }) => {
    const places = kind.namespaced ? ['', ...projects.map(projectNamespace)] : [''];
    const names = ['', ...namesOf(kind), 'nothing'];
    const parts = new Set(['', 'status', ...rights.flatMap(({ on }) => on)]);
    return [...parts].flatMap((subresource) =>
      verbs.flatMap((verb) =>
        places.flatMap((namespace) =>
          names.map((name): ResourceAttributes => {
            const { group, version, plural: resource } = kind;
            return { resourceRequest: true, verb, group, version, resource, subresource, namespace, name };
          }),
        ),
      ),
    );
  }),
  ...['/version', '/apis/x', '/metrics', '/backup', '/healthz'].flatMap((path) =>
    targets.map((target): Attributes => ({ resourceRequest: false, verb: 'get', path, ...(target && { target }) })),
  ),
];

function namesOf({ plural }: ResourceKind): readonly string[] {
  if (plural === 'projects') return projects;
  if (plural === 'namespaces') return projects.map(projectNamespace);
  if (plural === 'virtualclusterinstances') return instances;
  if (plural === 'events') return instances.map((name) => `e-${name}`);
  if (plural === 'clusters') return clusters;
  if (plural === 'users') return users;
  return plural === 'teams' ? teams : ['x1'];
}

const shownKinds: readonly [ResourceKind, (made: World) => readonly KubeObject[]][] = [
  [projectKind, (made) => made.projects ?? []],
  [virtualClusterInstanceKind, (made) => made.instances ?? []],
  [clusterKind, (made) => made.clusters ?? []],
  [virtualClusterTemplateKind, (made) => made.templates ?? []],
  [userKind, (made) => made.users ?? []],
  [teamKind, (made) => made.teams ?? []],
  [eventKind, (made) => made.events ?? []],
  [namespaceKind, (made) => [...stateOf(made).namespaces()]],
];

describe('whatever there is and whoever asks', () => {
  it('a key may do exactly what its user may and all its scopes allow', { timeout: 60_000 }, () => {
    let asked = 0;
    fc.assert(
      fc.property(world, fc.array(anyScope, { minLength: 1, maxLength: 2 }), fc.nat(), (made, given, pick) => {
        const state = stateOf(made);
        const scopes = given.map(compileScope);
        const root: Subject = { user: { name: 'root', groups: [adminsGroup] }, system: false, scopes: [] };
        const subjects = subjectsOf(made);
        for (const [at, question] of questions.entries()) {
          // A third of the questions for each world, another third for the next.
          if ((at + pick) % 3 !== 0) continue;
          const within = scopes.every((each) => decide({ ...root, scopes: [each] }, question, state).allowed);
          for (const subject of subjects) {
            asked++;
            const ofUser = decide(subject, question, state).allowed;
            const ofKey = decide({ ...subject, scopes }, question, state).allowed;
            if (ofKey !== (ofUser && within)) {
              expect({ subject, question, ofUser, within, ofKey }).toBe('the same');
            }
          }
        }
      }),
      { numRuns: 30 },
    );
    expect(asked).toBeGreaterThan(100_000);
  });

  it('a list shows exactly what get allows, and is never refused to those who may get something in it', () => {
    fc.assert(
      fc.property(world, fc.array(scope, { maxLength: 2 }), (made, given) => {
        const state = stateOf(made);
        for (const plain of subjectsOf(made)) {
          const subject = { ...plain, scopes: given.map(compileScope) };
          for (const [kind, objectsOf] of shownKinds) {
            const reader = readerOf(subject, kind, state);
            const may = (verb: string, namespace: string, name: string) => {
              const { group, version, plural: resource } = kind;
              const asked = {
                resourceRequest: true,
                verb,
                group,
                version,
                resource,
                subresource: '',
                namespace,
                name,
              } as const;
              return decide(subject, asked, state).allowed;
            };
            for (const each of objectsOf(made)) {
              const { name = '', namespace = '' } = each.metadata;
              const got = may('get', namespace, name);
              const shown = reader?.(each) ?? true;
              if (got !== shown) expect({ subject, kind: kind.plural, each, got, shown }).toBe('the same');
              if (got && !(may('list', namespace, '') && may('list', '', '') && may('watch', namespace, ''))) {
                expect({ subject, kind: kind.plural, each, got }).toBe('in a list');
              }
            }
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('a list of rules names nothing that is refused, and leaves out nothing that is allowed', () => {
    fc.assert(
      fc.property(world, fc.array(anyScope, { maxLength: 1 }), (made, given) => {
        const state = stateOf(made);
        const namespace = projectNamespace('p1');
        for (const plain of subjectsOf(made)) {
          const subject = { ...plain, scopes: given.map(compileScope) };
          const { resourceRules, incomplete } = rulesFor(subject, namespace, state);
          expect(incomplete).toBe(false);
          const told = (asked: ResourceAttributes) =>
            resourceRules.some(
              ({ verbs: ofRule, apiGroups, resources, resourceNames }) =>
                (ofRule.includes('*') || ofRule.includes(asked.verb)) &&
                (apiGroups.includes('*') || apiGroups.includes(asked.group)) &&
                (resources.includes('*') ||
                  resources.includes(
                    asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`,
                  )) &&
                (resourceNames === undefined || resourceNames.includes(asked.name)),
            );
          for (const question of questions) {
            if (!question.resourceRequest || question.name === 'nothing' || question.subresource.endsWith('.*'))
              continue;
            const isHere = question.namespace === namespace || !namespacedKinds.has(question.resource);
            const isUnsaid = question.subresource === 'status' && !['get'].includes(question.verb);
            if (!isHere || isUnsaid) continue;
            const { allowed } = decide(subject, question, state);
            if (allowed !== told(question) && !(allowed && isUnlisted(question))) {
              expect({ subject, question, allowed, resourceRules }).toBe('the same');
            }
          }
        }
      }),
      { numRuns: 8 },
    );
  });
});

const namespacedKinds = new Set(
  guardedKinds()
    .filter(({ kind }) => kind.namespaced)
    .map(({ kind }) => kind.plural),
);

/** Verbs that exist for no such part: an admin may them, and nobody asks. */
function isUnlisted({ resource, group, subresource, verb }: ResourceAttributes): boolean {
  const kind = guardedKinds().find((each) => each.kind.plural === resource && each.kind.group === group);
  return subresource === '' ? verb === 'use' : kind?.right(subresource, verb) === undefined;
}
