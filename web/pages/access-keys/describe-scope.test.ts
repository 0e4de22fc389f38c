import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/api/management/v1/scope.ts';
import { adminsGroup, managementGroup, projectNamespace, scopeCliFlag } from '../../../src/api/naming.ts';
import { accessStateOf, testCluster, testInstance, testProject } from '../../../src/auth/authz/access-state.fixture.ts';
import type { RequestTarget } from '../../../src/auth/authz/attributes.ts';
import { decide } from '../../../src/auth/authz/decide.ts';
import { compileScope } from '../../../src/auth/authz/scope.ts';
import { describeScope, scopeSummary } from './describe-scope.ts';

const cli = { [scopeCliFlag]: true };

describe('describeScope', () => {
  it('describes a key without a scope as having all permissions of its owner', () => {
    for (const none of [undefined, null]) {
      expect(describeScope(none)).toEqual({
        isEmpty: false,
        summary: 'Full access',
        can: ['All permissions of the owner, including later changes.'],
        cannot: [],
      });
    }
  });

  it('describes an empty scope as no access', () => {
    expect(describeScope({})).toMatchObject({ isEmpty: true, can: [] });
    expect(describeScope({ projects: [], virtualClusters: [{ project: 'p' }] }).isEmpty).toBe(true);
    expect(describeScope({ spaces: [{ project: 'p' }] }).isEmpty).toBe(true);
  });

  it('lists what is allowed and what is not', () => {
    const scope: Scope = {
      projects: [{ project: 'shop' }, { project: 'web' }],
      virtualClusters: [
        { project: 'lab', virtualCluster: 'one' },
        { project: 'shop', virtualCluster: 'covered' },
        { project: '*', virtualCluster: 'demo' },
      ],
      spaces: [
        { project: 'lab', space: 'web' },
        { project: 'web', space: 'covered' },
      ],
      clusters: [{ cluster: 'berlin' }],
    };
    expect(describeScope(scope)).toEqual({
      isEmpty: false,
      summary: 'Limited access. The key can never do more than its owner may do at the time of the request.',
      can: [
        'In the projects shop and web: view, create, change, delete, import and use virtual clusters and spaces.',
        'Virtual cluster one in project lab: view it, connect to it and use it.',
        'Virtual cluster demo in all projects: view it, connect to it and use it.',
        'Space web in project lab: view it, connect to it and use it.',
        'Connected cluster berlin: view it and use its Kubernetes API.',
        'Create access keys and tokens with the same scope or a narrower one.',
      ],
      cannot: [
        'Change the members, quotas, allowed clusters or allowed templates of projects.',
        'View users and teams.',
        'View, change or delete existing access keys, or set passwords.',
        'Use kubectl with the management API, or the commands of the command-line tool that ask for the identity of the key, such as flotilla whoami.',
      ],
    });
  });

  it('describes each rule in a sentence', () => {
    const rules = [
      {},
      { verbs: ['get', 'list'], resources: [{ group: '', resources: ['pods', 'pods/log'], resourceNames: ['a'] }] },
      { verbs: ['*'], namespaces: ['x', ''], requestTargets: ['Cluster'], cluster: 'berlin' },
      { nonResourceURLs: ['/metrics'], virtualClusters: [{ name: 'one', namespace: projectNamespace('lab') }, {}] },
    ];
    expect(describeScope({ rules }).can.slice(0, -1)).toEqual([
      'All verbs on everything.',
      'Verbs get and list on pods and pods/log of the core group named a.',
      'All verbs on all resources in the namespace x and outside of namespaces, only on connected clusters, only on cluster berlin.',
      'All verbs on the path /metrics, only for virtual cluster one of project lab and all virtual clusters of any project.',
    ]);
  });

  it('agrees with decisions of the server for any scope', () => {
    const state = accessStateOf({
      projects: [testProject('p'), testProject('q')],
      instances: [testInstance('p', 'a'), testInstance('p', 'b'), testInstance('q', 'a')],
      clusters: [testCluster('c1'), testCluster('c2')],
    });
    const names = (...each: string[]) => fc.constantFrom(...each, '*');
    const scopes: fc.Arbitrary<Scope> = fc.record(
      {
        [scopeCliFlag]: fc.boolean(),
        projects: fc.array(fc.record({ project: names('p', 'q') }), { maxLength: 2 }),
        virtualClusters: fc.array(fc.record({ project: names('p', 'q'), virtualCluster: names('a', 'b') }), {
          maxLength: 2,
        }),
        spaces: fc.array(fc.record({ project: names('p', 'q'), space: names('a', 'b') }), { maxLength: 2 }),
        clusters: fc.array(fc.record({ cluster: names('c1', 'c2') }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Scope>;
    fc.assert(
      fc.property(scopes, (scope) => {
        const { can, cannot, isEmpty } = describeScope(scope);
        const compiled = compileScope(scope as JsonObject);
        const who = { user: { name: 'root', groups: [adminsGroup] }, system: false, scopes: [compiled] };
        const base = { group: managementGroup, version: 'v1', subresource: '', namespace: '', name: '' };
        const may = (verb: string, resource: string, place: object) =>
          decide(who, { resourceRequest: true, verb, resource, ...base, ...place }, state).allowed;
        const opens = (path: string, target?: RequestTarget) =>
          decide(who, { resourceRequest: false, verb: 'get', path, ...(target && { target }) }, state).allowed;
        const says = (form: RegExp) => can.some((line) => form.test(line));

        for (const name of ['p', 'q']) {
          const isCovered = says(new RegExp(`^In (all projects|the projects? ([pq] and )?${name}( and [pq])?:)`));
          expect(may('create', 'virtualclusterinstances', { namespace: projectNamespace(name) })).toBe(isCovered);
          for (const inside of ['a', 'b']) {
            const named = new RegExp(
              `^(All virtual clusters|Virtual cluster ${inside}) in (all projects|project ${name}):`,
            );
            const target = { type: 'ProjectVirtualCluster', project: name, virtualCluster: inside } as const;
            expect(opens('/api', target)).toBe(isCovered || says(named));
            const space = new RegExp(`^(All spaces|Space ${inside}) in (all projects|project ${name}):`);
            expect(opens('/api', { type: 'ProjectSpace', project: name, space: inside })).toBe(
              isCovered || says(space),
            );
          }
        }
        for (const name of ['c1', 'c2']) {
          const isNamed = says(/^All connected/) || says(new RegExp(`^Connected clusters? .*${name}.*:`));
          expect(opens('/api', { type: 'Cluster', cluster: name })).toBe(isNamed);
        }
        const isForCli = says(/command-line tool/);
        expect(opens('/api')).toBe(isForCli);
        if (!isEmpty)
          expect(cannot.some((line) => line.startsWith('Use kubectl with the management API'))).toBe(!isForCli);
        expect(may('update', 'projects', { name: 'p' })).toBe(false);
        expect(may('list', 'users', {})).toBe(false);
        if (!isEmpty) expect(may('create', 'ownedaccesskeys', {})).toBe(true);
      }),
    );
  });
});

describe('scopeInShort', () => {
  it.each([
    [undefined, 'Full access'],
    [{}, 'Nothing'],
    [{ projects: [{ project: 'shop' }] }, 'Project shop'],
    [{ projects: [{ project: '*' }], ...cli }, 'All projects, command line'],
    [{ virtualClusters: [{ project: '*', virtualCluster: '*' }] }, 'All virtual clusters'],
    [
      { virtualClusters: [{ project: 'p', virtualCluster: 'a' }], clusters: [{ cluster: 'c' }, { cluster: 'd' }] },
      'Virtual cluster p/a, 2 clusters',
    ],
    [
      {
        spaces: [
          { project: 'p', space: 'a' },
          { project: 'p', space: '*' },
        ],
      },
      '2 spaces',
    ],
    [{ spaces: [{ project: '*', space: '*' }] }, 'All spaces'],
    [{ rules: [{}] }, '1 rule'],
  ] as readonly [Scope | undefined, string][])('formats %j as "%s"', (scope, words) => {
    expect(scopeSummary(scope)).toBe(words);
  });
});
