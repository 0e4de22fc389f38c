import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { secretKind } from '../../api/core/secret.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { adminsGroup, managementGroup, projectNamespace, scopeCliFlag } from '../../api/naming.ts';
import {
  accessStateOf,
  testCluster,
  testInstance,
  testObject,
  testProject,
  testSpace,
} from './access-state.fixture.ts';
import type { Attributes, RequestTarget, ResourceAttributes } from './attributes.ts';
import { decide } from './decide.ts';
import { compileScope, denyAllScope } from './scope.ts';
import type { AuthorizationSubject } from './subject.ts';
import { visibilityFilterFor } from './visibility-filter.ts';

const vci = 'virtualclusterinstances';
const si = 'spaceinstances';
const all = {
  instances: [testInstance('p', 'a'), testInstance('p', 'b'), testInstance('q', 'a')],
  spaces: [testSpace('p', 'a'), testSpace('p', 's'), testSpace('q', 's')],
  projects: [
    testProject('p', { allowedClusters: [{ name: 'c1' }] }),
    testProject('q', { allowedClusters: [{ name: 'c2' }] }),
  ],
  clusters: [testCluster('c1'), testCluster('c2'), testCluster('c3')],
};
const state = accessStateOf(all);

/** Returns an admin with a scoped key, so every denial comes from the scope. */
function scoped(...scopes: JsonObject[]): AuthorizationSubject {
  return { user: { name: 'root', groups: [adminsGroup] }, system: false, scopes: scopes.map(compileScope) };
}

function may(who: AuthorizationSubject, verb: string, what: string, where: Partial<ResourceAttributes> = {}): boolean {
  const [resource = '', subresource = ''] = what.split('/');
  const base = { group: managementGroup, version: 'v1', namespace: '', name: '' };
  return decide(who, { resourceRequest: true, verb, resource, subresource, ...base, ...where }, state).allowed;
}

const reads = (who: AuthorizationSubject, path: string) =>
  decide(who, { resourceRequest: false, verb: 'get', path }, state).allowed;

const reaches = (who: AuthorizationSubject, target: RequestTarget) => {
  const attributes: Attributes = { resourceRequest: false, verb: 'get', path: '/api', target };
  return decide(who, attributes, state).allowed;
};
const gateway = (name: string, virtualCluster: string) =>
  ({ type: 'ProjectVirtualCluster', project: name, virtualCluster }) as const;

const space = (name: string, of: string) => ({ type: 'ProjectSpace', project: name, space: of }) as const;

const shownSpaces = (who: AuthorizationSubject) =>
  all.spaces
    .filter((object) => visibilityFilterFor(who, spaceInstanceKind, state)?.(object) ?? true)
    .map(({ metadata }) => `${metadata.namespace?.slice(-1)}/${metadata.name}`);

const shown = (who: AuthorizationSubject) => {
  const names = (
    kind: Parameters<typeof visibilityFilterFor>[1],
    objects: readonly ReturnType<typeof testInstance>[],
  ) =>
    objects
      .filter((object) => visibilityFilterFor(who, kind, state)?.(object) ?? true)
      .map(({ metadata }) => [metadata.namespace?.slice(-1), metadata.name].filter((part) => part).join('/'));
  return {
    instances: names(virtualClusterInstanceKind, all.instances),
    projects: names(projectKind, all.projects),
    clusters: names(clusterKind, all.clusters),
  };
};

const inP = { namespace: projectNamespace('p') };
const inQ = { namespace: projectNamespace('q') };
const cli = { [scopeCliFlag]: true };

describe('scopes (completions §5)', () => {
  it('a project scope covers reading the project, its instances, its imports and their gateways', () => {
    const key = scoped({ projects: [{ project: 'p' }] });
    for (const verb of ['get', 'list', 'watch']) expect(may(key, verb, 'projects', { name: 'p' })).toBe(true);
    expect(may(key, 'get', 'projects', { name: 'q' })).toBe(false);
    for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection']) {
      expect(may(key, verb, 'projects', { name: 'p' }), verb).toBe(false);
      expect(may(key, verb, vci, { ...inP, name: 'a' }), verb).toBe(true);
      expect(may(key, verb, vci, { ...inQ, name: 'a' }), verb).toBe(false);
    }
    for (const part of ['kubeconfig', 'restricted', 'log'])
      expect(may(key, 'create', `${vci}/${part}`, inP)).toBe(true);
    expect(may(key, 'create', 'projects/importvirtualcluster', { name: 'p' })).toBe(true);
    expect(may(key, 'create', 'projects/importvirtualcluster', { name: 'q' })).toBe(false);
    expect(may(key, 'use', 'clusters', { name: 'c1' }), 'as a part of the import').toBe(true);
    expect(reaches(key, gateway('p', 'a'))).toBe(true);
    expect(reaches(key, gateway('q', 'a'))).toBe(false);
    expect(reaches(key, { type: 'Cluster', cluster: 'c1' })).toBe(false);
    expect(may(key, 'get', 'projects/members', { name: 'p' })).toBe(false);
    expect(shown(key)).toEqual({ instances: ['p/a', 'p/b'], projects: ['p'], clusters: [] });
    expect(may(key, 'list', vci)).toBe(true);
    expect(may(key, 'list', vci, inQ)).toBe(false);
  });

  it('a project scope covers the Secrets and ConfigMaps of the project, and no other scope does', () => {
    const key = scoped({ projects: [{ project: 'p' }] });
    const core = { group: '' };
    for (const plural of ['secrets', 'configmaps']) {
      for (const verb of ['get', 'create', 'update', 'patch', 'delete', 'deletecollection', 'list', 'watch']) {
        expect(may(key, verb, plural, { ...core, ...inP, name: 'a' }), verb).toBe(true);
        expect(may(key, verb, plural, { ...core, ...inQ, name: 'a' }), verb).toBe(false);
        expect(may(key, verb, plural, core), verb).toBe(['list', 'watch'].includes(verb));
      }
      expect(may(key, 'get', plural, { ...inP, name: 'a' }), 'of the management group').toBe(false);
      for (const other of [cli, { virtualClusters: [{ project: 'p', virtualCluster: '*' }] }]) {
        expect(may(scoped(other), 'get', plural, { ...core, ...inP, name: 'a' })).toBe(false);
        expect(may(scoped(other), 'list', plural, core)).toBe(false);
      }
    }
    const filter = visibilityFilterFor(key, secretKind, state);
    expect(filter?.(testObject('Secret', 'a', {}, 'p'))).toBe(true);
    expect(filter?.(testObject('Secret', 'a', {}, 'q'))).toBe(false);
  });

  it('a virtual cluster scope covers reading the instance, its kubeconfig and its gateway', () => {
    const key = scoped({ virtualClusters: [{ project: 'p', virtualCluster: 'a' }] });
    expect(may(key, 'get', vci, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'get', `${vci}/status`, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'create', `${vci}/kubeconfig`, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'use', vci, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'get', `${vci}/log`, { ...inP, name: 'a' })).toBe(false);
    for (const verb of ['update', 'patch', 'delete']) expect(may(key, verb, vci, { ...inP, name: 'a' })).toBe(false);
    for (const where of [
      { ...inP, name: 'b' },
      { ...inQ, name: 'a' },
    ])
      expect(may(key, 'get', vci, where)).toBe(false);
    expect(may(key, 'list', vci, inP)).toBe(true);
    expect(may(key, 'list', vci, inQ)).toBe(false);
    expect(may(key, 'deletecollection', vci, inP)).toBe(false);
    expect(may(key, 'create', vci, inP)).toBe(false);
    expect(may(key, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(reaches(key, gateway('p', 'a'))).toBe(true);
    expect(reaches(key, gateway('p', 'b'))).toBe(false);
    expect(shown(key)).toEqual({ instances: ['p/a'], projects: [], clusters: [] });
  });

  it('a space scope covers reading the space, its kubeconfig and its gateway, and no virtual cluster', () => {
    const key = scoped({ spaces: [{ project: 'p', space: 'a' }] });
    for (const verb of ['get', 'use']) expect(may(key, verb, si, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'get', `${si}/status`, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'create', `${si}/kubeconfig`, { ...inP, name: 'a' })).toBe(true);
    for (const verb of ['update', 'patch', 'delete']) expect(may(key, verb, si, { ...inP, name: 'a' })).toBe(false);
    for (const verb of ['create', 'deletecollection']) expect(may(key, verb, si, inP)).toBe(false);
    for (const where of [
      { ...inP, name: 's' },
      { ...inQ, name: 'a' },
    ])
      expect(may(key, 'get', si, where)).toBe(false);
    for (const verb of ['get', 'use']) expect(may(key, verb, vci, { ...inP, name: 'a' })).toBe(false);
    expect(may(key, 'create', `${vci}/kubeconfig`, { ...inP, name: 'a' })).toBe(false);
    expect([inP, inQ, {}].map((where) => may(key, 'list', si, where))).toEqual([true, false, true]);
    expect([inP, {}].map((where) => may(key, 'list', vci, where))).toEqual([false, false]);
    expect(may(key, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(may(key, 'create', 'projects/importspace', { name: 'p' })).toBe(false);
    expect(reaches(key, space('p', 'a'))).toBe(true);
    for (const other of [space('p', 's'), space('q', 'a'), gateway('p', 'a')]) expect(reaches(key, other)).toBe(false);
    expect(reaches(key, { type: 'Cluster', cluster: 'c1' })).toBe(false);
    expect(shownSpaces(key)).toEqual(['p/a']);
    expect(shown(key)).toEqual({ instances: [], projects: [], clusters: [] });
  });

  it('a virtual cluster scope covers no space, and a project scope covers all spaces of the project', () => {
    const virtual = scoped({ virtualClusters: [{ project: '*', virtualCluster: '*' }] });
    expect(may(virtual, 'get', si, { ...inP, name: 'a' })).toBe(false);
    expect(may(virtual, 'list', si)).toBe(false);
    expect(reaches(virtual, space('p', 'a'))).toBe(false);
    expect(shownSpaces(virtual)).toEqual([]);
    const project = scoped({ projects: [{ project: 'p' }] });
    for (const verb of ['get', 'create', 'delete', 'deletecollection'])
      expect([inP, inQ].map((where) => may(project, verb, si, { ...where, name: 's' }))).toEqual([true, false]);
    expect(may(project, 'create', 'projects/importspace', { name: 'p' })).toBe(false);
    expect([space('p', 's'), space('q', 's')].map((target) => reaches(project, target))).toEqual([true, false]);
    expect(shownSpaces(project)).toEqual(['p/a', 'p/s']);
    expect(shownSpaces(scoped({ spaces: [{ project: '*', space: 's' }] }))).toEqual(['p/s', 'q/s']);
    expect(shownSpaces(scoped({ spaces: [{ project: 'p', space: '*' }] }))).toEqual(['p/a', 'p/s']);
    expect(shownSpaces(scoped(cli))).toEqual(['p/a', 'p/s', 'q/s']);
  });

  it('an asterisk selects everything in its list', () => {
    const everyA = scoped({ virtualClusters: [{ project: '*', virtualCluster: 'a' }] });
    expect(shown(everyA).instances).toEqual(['p/a', 'q/a']);
    const allOfP = scoped({ virtualClusters: [{ project: 'p', virtualCluster: '*' }] });
    expect(shown(allOfP).instances).toEqual(['p/a', 'p/b']);
    const projects = scoped({ projects: [{ project: '*' }] });
    expect(shown(projects)).toEqual({ instances: ['p/a', 'p/b', 'q/a'], projects: ['p', 'q'], clusters: [] });
    const spaces = scoped({ spaces: [{ project: '*', space: '*' }] });
    expect(shown(spaces)).toEqual({ instances: [], projects: [], clusters: [] });
    expect(shownSpaces(spaces)).toEqual(['p/a', 'p/s', 'q/s']);
    expect(may(spaces, 'list', vci)).toBe(false);
  });

  it('a cluster scope covers its gateway and its object', () => {
    const key = scoped({ clusters: [{ cluster: 'c1' }] });
    expect(reaches(key, { type: 'Cluster', cluster: 'c1' })).toBe(true);
    expect(reaches(key, { type: 'Cluster', cluster: 'c2' })).toBe(false);
    expect(may(key, 'get', 'clusters', { name: 'c1' })).toBe(true);
    expect(may(key, 'update', 'clusters', { name: 'c1' })).toBe(false);
    expect(shown(key)).toEqual({ instances: [], projects: [], clusters: ['c1'] });
  });

  it('a scope is the union of its lists; several scopes are their intersection', () => {
    const p = { projects: [{ project: 'p' }] };
    const a = { virtualClusters: [{ project: '*', virtualCluster: 'a' }] };
    expect(shown(scoped({ ...p, ...a })).instances).toEqual(['p/a', 'p/b', 'q/a']);
    expect(shown(scoped(p, a)).instances).toEqual(['p/a']);
    expect(may(scoped(p, a), 'delete', vci, { ...inP, name: 'a' })).toBe(false);
    expect(shown(scoped(p, { projects: [{ project: 'q' }] })).instances).toEqual([]);
  });

  it('only the CLI flag allows discovery, self reviews and the reads of a command-line tool', () => {
    const without = scoped({ projects: [{ project: 'p' }] });
    const with_ = scoped({ projects: [{ project: 'p' }], ...cli });
    for (const [key, expected] of [
      [without, false],
      [with_, true],
    ] as const) {
      for (const path of ['/version', '/api', '/apis', '/apis/x/v1', '/openapi/v3']) {
        expect(reads(key, path), path).toBe(expected);
      }
      expect(may(key, 'create', 'selves')).toBe(expected);
      for (const review of ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']) {
        expect(may(key, 'create', review)).toBe(expected);
        expect(may(key, 'create', review, { group: 'authorization.k8s.io' })).toBe(expected);
      }
      expect(may(key, 'create', 'selfsubjectreviews', { group: 'authentication.k8s.io' })).toBe(expected);
      for (const part of ['members', 'templates', 'clusters']) {
        expect(may(key, 'get', `projects/${part}`, { name: 'p' })).toBe(expected);
        expect(may(key, 'get', `projects/${part}`, { name: 'q' })).toBe(false);
      }
      expect(may(key, 'list', 'clusters')).toBe(expected);
      for (const path of ['/metrics', '/healthz', '/backup']) expect(reads(key, path), path).toBe(false);
      expect(may(key, 'create', 'subjectaccessreviews')).toBe(false);
      expect(may(key, 'list', 'users')).toBe(false);
    }
    expect(shown(with_)).toEqual({ instances: ['p/a', 'p/b'], projects: ['p'], clusters: ['c1'] });
  });

  it('a scope with the CLI flag alone shows what the user can see and allows no changes', () => {
    const key = scoped(cli);
    expect(shown(key)).toEqual({
      instances: ['p/a', 'p/b', 'q/a'],
      projects: ['p', 'q'],
      clusters: ['c1', 'c2', 'c3'],
    });
    expect(may(key, 'get', 'projects/members', { name: 'q' })).toBe(true);
    for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection', 'use']) {
      expect(may(key, verb, vci, { ...inP, name: 'a' }), verb).toBe(false);
    }
    expect(reaches(key, gateway('p', 'a'))).toBe(false);
  });

  it('a scope allows creating keys and tokens and no other use of credentials, whatever a rule says', () => {
    for (const scope of [
      { projects: [{ project: 'p' }] },
      { spaces: [{ project: 'x', space: 'y' }] },
      { rules: [{}] },
      cli,
    ]) {
      const key = scoped(scope);
      expect(may(key, 'create', 'ownedaccesskeys')).toBe(true);
      expect(may(key, 'create', 'directclusterendpointtokens')).toBe(true);
      for (const verb of ['get', 'list', 'watch', 'update', 'patch', 'delete']) {
        expect(may(key, verb, 'ownedaccesskeys', { name: 'k' }), verb).toBe(false);
        expect(may(key, verb, 'accesskeys', { name: 'k' }), verb).toBe(false);
      }
      expect(may(key, 'get', 'users/accesskeys', { name: 'root' })).toBe(false);
      expect(may(key, 'create', 'clusters/accesskey', { name: 'c1' })).toBe(false);
      expect(may(key, 'create', 'clusters/jointoken', { name: 'c1' })).toBe(false);
      expect(may(key, 'update', 'users/spec.password', { name: 'root' })).toBe(false);
    }
  });

  it('the scope of a deleted key denies everything', () => {
    const gone: AuthorizationSubject = { ...scoped(), scopes: [denyAllScope] };
    expect(may(gone, 'create', 'ownedaccesskeys')).toBe(false);
    expect(may(gone, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(reads(gone, '/version')).toBe(false);
  });

  it('a scope only restricts', () => {
    const nobody: AuthorizationSubject = { ...scoped({ rules: [{}] }), user: { name: 'nobody', groups: [] } };
    expect(may(nobody, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(reads(nobody, '/metrics')).toBe(false);
  });
});

describe('scope rules', () => {
  const rule = (...rules: JsonObject[]) => scoped({ rules });
  const ofGroup = (...resources: string[]) => [{ group: managementGroup, resources }];

  it('rules match verbs, and all verbs if none is given', () => {
    expect(may(rule({ verbs: ['get'] }), 'get', 'users', { name: 'x' })).toBe(true);
    expect(may(rule({ verbs: ['get'] }), 'delete', 'users', { name: 'x' })).toBe(false);
    expect(may(rule({}), 'delete', 'users', { name: 'x' })).toBe(true);
    expect(may(rule({ verbs: ['*'] }), 'delete', 'users', { name: 'x' })).toBe(true);
  });

  it.each<[string[], string[], string[]]>([
    [['users'], ['users'], ['users/accesskeys', 'teams']],
    [['projects/members'], ['projects/members'], ['projects', 'projects/clusters']],
    [['*'], ['users', 'projects/members'], []],
    [['projects/*'], ['projects/members', 'projects/status'], ['projects', 'users/status']],
    [['*/status'], ['projects/status', 'users/status'], ['projects', 'projects/members']],
    [[], ['users', 'projects/members'], []],
  ])('rules match resources %j', (resources, matching, others) => {
    const key = rule({ resources: ofGroup(...resources) });
    for (const each of matching) expect(may(key, 'get', each, { name: 'x' }), each).toBe(true);
    for (const each of others) expect(may(key, 'get', each, { name: 'x' }), each).toBe(false);
    expect(may(key, 'get', 'namespaces', { group: '', name: 'x' })).toBe(false);
  });

  it('rules match names, by the entry or by the rule, and filter lists by them', () => {
    for (const each of [
      { resources: [{ ...ofGroup(vci)[0], resourceNames: ['a'] }] },
      { resources: ofGroup(vci), resourceNames: ['a'] },
    ]) {
      const key = rule(each as JsonObject);
      expect(may(key, 'get', vci, { ...inP, name: 'a' })).toBe(true);
      expect(may(key, 'get', vci, { ...inP, name: 'b' })).toBe(false);
      expect(may(key, 'list', vci)).toBe(true);
      expect(may(key, 'create', vci, inP)).toBe(false);
      expect(may(key, 'deletecollection', vci, inP)).toBe(false);
      expect(shown(key).instances).toEqual(['p/a', 'q/a']);
    }
    const disjoint = rule({
      resources: [{ ...ofGroup(vci)[0], resourceNames: ['a'] }],
      resourceNames: ['b'],
    } as JsonObject);
    expect(shown(disjoint).instances).toEqual([]);
  });

  it('rules match namespaces; the empty one stands for cluster-scoped objects', () => {
    const key = rule({ namespaces: [projectNamespace('p')] });
    expect(may(key, 'delete', vci, { ...inP, name: 'a' })).toBe(true);
    expect(may(key, 'delete', vci, { ...inQ, name: 'a' })).toBe(false);
    expect(may(key, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(shown(key)).toEqual({ instances: ['p/a', 'p/b'], projects: [], clusters: [] });
    const none = rule({ namespaces: [''] });
    expect(may(none, 'get', 'projects', { name: 'p' })).toBe(true);
    expect(may(none, 'get', 'namespaces', { group: '', namespace: 'x', name: 'x' })).toBe(true);
    expect(shown(none)).toEqual({ instances: [], projects: ['p', 'q'], clusters: ['c1', 'c2', 'c3'] });
  });

  it('rules match non-resource paths', () => {
    const key = rule({ nonResourceURLs: ['/metrics', '/healthz/*'] });
    expect(['/metrics', '/healthz/ping'].map((path) => reads(key, path))).toEqual([true, true]);
    expect(['/metricsx', '/healthz', '/version'].map((path) => reads(key, path))).toEqual([false, false, false]);
    expect(may(key, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(reads(rule({ resources: ofGroup('projects') }), '/version')).toBe(false);
    expect(reads(rule({ verbs: ['get'] }), '/version')).toBe(true);
  });

  it('rules match the target of the request', () => {
    const c1 = { type: 'Cluster', cluster: 'c1' } as const;
    const management = rule({ requestTargets: ['Management'] });
    expect(may(management, 'get', 'projects', { name: 'p' })).toBe(true);
    expect(reaches(management, c1)).toBe(false);
    const clusters = rule({ requestTargets: ['Cluster'] });
    expect(may(clusters, 'get', 'projects', { name: 'p' })).toBe(false);
    expect(reaches(clusters, c1)).toBe(true);
    const one = rule({ cluster: 'c1' });
    expect(reaches(one, c1)).toBe(true);
    expect(reaches(one, { type: 'Cluster', cluster: 'c2' })).toBe(false);
    expect(reaches(one, gateway('p', 'a'))).toBe(false);
    expect(may(one, 'get', 'projects', { name: 'p' })).toBe(false);
    const virtual = rule({ virtualClusters: [{ name: 'a', namespace: projectNamespace('p') }] });
    expect(reaches(virtual, gateway('p', 'a'))).toBe(true);
    expect(reaches(virtual, gateway('q', 'a'))).toBe(false);
    expect(reaches(virtual, c1)).toBe(true);
    expect(reaches(rule({ virtualClusters: [{ name: 'a' }] }), gateway('q', 'a'))).toBe(true);
    const spaces = rule({ requestTargets: ['ProjectSpace'] });
    expect(reaches(spaces, space('p', 's'))).toBe(true);
    for (const target of [gateway('p', 'a'), c1]) expect(reaches(spaces, target)).toBe(false);
    expect(may(spaces, 'get', si, { ...inP, name: 's' })).toBe(false);
    expect(reaches(rule({ requestTargets: ['ProjectVirtualCluster'] }), space('p', 's'))).toBe(false);
    expect(reaches(one, space('p', 's'))).toBe(false);
  });

  it('rules allow what any one of them allows, and fields together with the object', () => {
    const key = rule(
      { verbs: ['get'], resources: ofGroup('users') },
      { verbs: ['patch'], resources: ofGroup('projects') },
    );
    expect(may(key, 'get', 'users', { name: 'x' })).toBe(true);
    expect(may(key, 'patch', 'projects', { name: 'p' })).toBe(true);
    expect(may(key, 'patch', 'users', { name: 'x' })).toBe(false);
    expect(may(key, 'update', 'projects/spec.quotas', { name: 'p' })).toBe(true);
    expect(may(key, 'create', 'projects/spec.quotas', { name: 'p' })).toBe(false);
  });

  it('the lists of a command-line tool show what the rules allow it to get', () => {
    const key = scoped({
      ...cli,
      rules: [
        { verbs: ['get'], resources: [{ group: managementGroup, resources: ['clusters'], resourceNames: ['c2'] }] },
      ],
    });
    expect(shown(key)).toEqual({ instances: [], projects: [], clusters: ['c2'] });
    expect(may(key, 'list', 'clusters')).toBe(true);
  });
});
