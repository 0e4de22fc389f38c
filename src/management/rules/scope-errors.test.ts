import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../api/field-error.ts';
import type { Scope, ScopeRule } from '../../api/management/v1/scope.ts';
import { scopeErrors } from './scope-errors.ts';

const errors = (scope: Scope | null | undefined) => scopeErrors(scope, 'spec.scope').map(describeFieldError);
const rule = (value: ScopeRule) => errors({ rules: [value] });

describe('scope rules (completions §5, Scope)', () => {
  it('no scope and non-empty scopes are accepted', () => {
    expect(errors(undefined)).toEqual([]);
    expect(errors(null)).toEqual([]);
    expect(errors({ allowPlatformCli: true })).toEqual([]);
    expect(errors({ projects: [{ project: '*' }], virtualClusters: [{ project: 'p', virtualCluster: 'v' }] })).toEqual(
      [],
    );
    expect(errors({ rules: [{}] })).toEqual([]);
  });

  it.each([{}, { projects: [], rules: [] }, { allowPlatformCli: false, spaces: [] }])(
    'the empty scope %j is rejected',
    (scope) => {
      expect(errors(scope)).toEqual([expect.stringMatching(/^spec\.scope: Required value/)]);
    },
  );

  it('a scope with thousands of entries is rejected, wherever they are', () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `name-${at}`);
    const resources = names.map((name) => ({ group: '', resources: [name] }));
    for (const scope of [
      { projects: names.map((project) => ({ project })) },
      { rules: names.map((name) => ({ verbs: [name] })) },
      { rules: [{ resources }] },
      { rules: [{ resources: [{ group: '', resources: names.map((name) => `${name}/*`) }] }] },
      { rules: [{ resources: resources.slice(0, 1), resourceNames: names }] },
    ])
      expect(errors(scope)).toEqual([
        expect.stringMatching(/^spec\.scope: Forbidden: may have at most 1000 entries in all its lists, but has /),
      ]);
    expect(errors({ projects: names.slice(0, 1_000).map((project) => ({ project })) })).toEqual([]);
  });

  it('entries without a name are rejected', () => {
    expect(errors({ virtualClusters: [{ project: 'p' }], clusters: [{}] })).toEqual([
      'spec.scope.virtualClusters[0].virtualCluster: Required value: a name, or * for all',
      'spec.scope.clusters[0].cluster: Required value: a name, or * for all',
    ]);
  });

  it('resourceNames without resources are rejected, on the rule and in an entry', () => {
    expect(rule({ resourceNames: ['a'] })).toHaveLength(1);
    expect(rule({ resources: [{ group: '', resourceNames: ['a'] }] })).toEqual([
      expect.stringContaining('spec.scope.rules[0].resources[0].resourceNames: Forbidden'),
    ]);
    expect(rule({ resourceNames: ['a'], resources: [{ group: '', resources: ['pods'] }] })).toEqual([]);
  });

  it.each([
    [['pods', 'pods/log'], 0],
    [['*', 'pods'], 1],
    [['pods/*', 'pods/log'], 1],
    [['*/scale', 'deployments/scale'], 1],
    [['*', '*/scale'], 1],
    [['pods/*', '*/log'], 1],
    [['pods', 'pods'], 1],
    [['pods/*', 'pods'], 0],
    [['pods*'], 1],
    [['pods/log/x'], 1],
  ])('resources %j have %i overlaps or errors', (resources, count) => {
    expect(rule({ resources: [{ group: '', resources }] })).toHaveLength(count);
  });

  it.each([
    ['/metrics', 0],
    ['/healthz/*', 0],
    ['*', 0],
    ['/health*', 1],
    ['/a/*/b', 1],
    ['metrics', 1],
  ])('the path %j has %i errors', (url, count) => {
    expect(rule({ nonResourceURLs: [url] })).toHaveLength(count);
  });

  it('unknown request targets are rejected', () => {
    expect(rule({ requestTargets: ['Management', 'Cluster', 'ProjectSpace', 'ProjectVirtualCluster'] })).toEqual([]);
    expect(rule({ requestTargets: ['management'] })).toEqual([
      expect.stringContaining('spec.scope.rules[0].requestTargets[0]: Unsupported value: "management"'),
    ]);
  });
});
