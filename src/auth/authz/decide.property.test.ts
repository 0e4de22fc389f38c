import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMapKind } from '../../api/core/config-map.ts';
import { eventKind } from '../../api/core/event.ts';
import { namespaceKind } from '../../api/core/namespace.ts';
import { secretKind } from '../../api/core/secret.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { adminsGroup, projectNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { accessStateOf, type TestObjects } from './access-state.fixture.ts';
import type { ReviewedObject } from './access-state.ts';
import type { Attributes, RequestTarget, ResourceAttributes } from './attributes.ts';
import { decide } from './decide.ts';
import { guardedKinds } from './guarded-kinds.ts';
import {
  anyScope,
  clusters,
  instances,
  projects,
  scope,
  subjectsOf,
  teams,
  users,
  verbs,
  world,
} from './random-world.fixture.ts';
import { permissionRulesFor } from './rules-review.ts';
import { compileScope } from './scope.ts';
import type { AuthorizationSubject } from './subject.ts';
import { visibilityFilterFor } from './visibility-filter.ts';

const targets: readonly (RequestTarget | undefined)[] = [
  undefined,
  { type: 'Cluster', cluster: 'c1' },
  { type: 'ProjectVirtualCluster', project: 'p1', virtualCluster: 'i1' },
  { type: 'ProjectSpace', project: 'p1', space: 's1' },
];

/** All requests that are possible in these states, and some that are not. */
const requests: readonly Attributes[] = [
  ...guardedKinds().flatMap((guarded) => {
    const { kind } = guarded;
    const namespaces = kind.namespaced ? ['', ...projects.map(projectNamespace)] : [''];
    const names = ['', ...namesOf(kind), 'nothing'];
    const subresources = new Set(['', 'status', ...guarded.permissions.flatMap((each) => each.subresources)]);
    return [...subresources].flatMap((subresource) =>
      verbs.flatMap((verb) =>
        namespaces.flatMap((namespace) =>
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
  if (plural === 'spaceinstances') return ['s1'];
  if (plural === 'events') return [...instances, 's1'].map((name) => `e-${name}`);
  if (plural === 'clusters') return clusters;
  if (plural === 'users') return users;
  return plural === 'teams' ? teams : ['x1'];
}

const plain = (objects: readonly KubeObject[] = []) => objects.map((object) => ({ object }));
const configObjects = (of: ResourceKind, objects: TestObjects) =>
  (objects.configObjects ?? []).filter(({ object }) => object.kind === of.kind);

const shownKinds: readonly [ResourceKind, (objects: TestObjects) => readonly ReviewedObject[]][] = [
  [projectKind, (objects) => plain(objects.projects)],
  [virtualClusterInstanceKind, (objects) => plain(objects.instances)],
  [spaceInstanceKind, (objects) => plain(objects.spaces)],
  [clusterKind, (objects) => plain(objects.clusters)],
  [virtualClusterTemplateKind, (objects) => plain(objects.templates)],
  [spaceTemplateKind, (objects) => plain(objects.spaceTemplates)],
  [userKind, (objects) => plain(objects.users)],
  [teamKind, (objects) => plain(objects.teams)],
  [eventKind, (objects) => plain(objects.events)],
  [namespaceKind, (objects) => plain([...accessStateOf(objects).namespaces()])],
  [secretKind, (objects) => configObjects(secretKind, objects)],
  [configMapKind, (objects) => configObjects(configMapKind, objects)],
];

describe('for any state and any caller', () => {
  it('a key is allowed exactly what its user may do and all of its scopes allow', { timeout: 60_000 }, () => {
    let checked = 0;
    fc.assert(
      fc.property(world, fc.array(anyScope, { minLength: 1, maxLength: 2 }), fc.nat(), (objects, given, pick) => {
        const state = accessStateOf(objects);
        const scopes = given.map(compileScope);
        const root: AuthorizationSubject = { user: { name: 'root', groups: [adminsGroup] }, system: false, scopes: [] };
        const subjects = subjectsOf(objects);
        for (const [at, request] of requests.entries()) {
          // Checks a third of the requests for each state, and a different third for the next state.
          if ((at + pick) % 3 !== 0) continue;
          const within = scopes.every((each) => decide({ ...root, scopes: [each] }, request, state).allowed);
          for (const subject of subjects) {
            checked++;
            const ofUser = decide(subject, request, state).allowed;
            const ofKey = decide({ ...subject, scopes }, request, state).allowed;
            if (ofKey !== (ofUser && within)) {
              expect({ subject, request, ofUser, within, ofKey }).toBe('the same');
            }
          }
        }
      }),
      { numRuns: 30 },
    );
    expect(checked).toBeGreaterThan(100_000);
  });

  it('a list shows exactly what get allows, and is allowed to all who may get an object in it', () => {
    fc.assert(
      fc.property(world, fc.array(scope, { maxLength: 2 }), (objects, given) => {
        const state = accessStateOf(objects);
        for (const unscoped of subjectsOf(objects)) {
          const subject = { ...unscoped, scopes: given.map(compileScope) };
          for (const [kind, objectsOf] of shownKinds) {
            const reader = visibilityFilterFor(subject, kind, state);
            const may = (verb: string, namespace: string, name: string) => {
              const { group, version, plural: resource } = kind;
              const attributes = {
                resourceRequest: true,
                verb,
                group,
                version,
                resource,
                subresource: '',
                namespace,
                name,
              } as const;
              return decide(subject, attributes, state).allowed;
            };
            for (const { object: each, hidden } of objectsOf(objects)) {
              const { name = '', namespace = '' } = each.metadata;
              const got = may('get', namespace, name);
              const shown = reader?.(each, hidden) ?? true;
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

  it('a rules review lists nothing that is denied and omits nothing that is allowed', () => {
    fc.assert(
      fc.property(world, fc.array(anyScope, { maxLength: 1 }), (objects, given) => {
        const state = accessStateOf(objects);
        const namespace = projectNamespace('p1');
        for (const unscoped of subjectsOf(objects)) {
          const subject = { ...unscoped, scopes: given.map(compileScope) };
          const { resourceRules, incomplete } = permissionRulesFor(subject, namespace, state);
          expect(incomplete).toBe(false);
          const isListed = (attributes: ResourceAttributes) =>
            resourceRules.some(
              ({ verbs: ofRule, apiGroups, resources, resourceNames }) =>
                (ofRule.includes('*') || ofRule.includes(attributes.verb)) &&
                (apiGroups.includes('*') || apiGroups.includes(attributes.group)) &&
                (resources.includes('*') ||
                  resources.includes(
                    attributes.subresource === ''
                      ? attributes.resource
                      : `${attributes.resource}/${attributes.subresource}`,
                  )) &&
                (resourceNames === undefined || resourceNames.includes(attributes.name)),
            );
          for (const request of requests) {
            if (!request.resourceRequest || request.name === 'nothing' || request.subresource.endsWith('.*')) continue;
            const isHere = request.namespace === namespace || !namespacedKinds.has(request.resource);
            const isNeverListed =
              request.subresource === 'status' && !['get', 'update', 'patch'].includes(request.verb);
            if (!isHere || isNeverListed) continue;
            const { allowed } = decide(subject, request, state);
            if (allowed !== isListed(request) && !(allowed && isUnlisted(request))) {
              expect({ subject, request, allowed, resourceRules }).toBe('the same');
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

/** True for a verb that the subresource does not have. Admins are allowed such verbs, but no request uses them. */
function isUnlisted({ resource, group, subresource, verb }: ResourceAttributes): boolean {
  const kind = guardedKinds().find((each) => each.kind.plural === resource && each.kind.group === group);
  return subresource === '' ? verb === 'use' : kind?.permissionFor(subresource, verb) === undefined;
}
