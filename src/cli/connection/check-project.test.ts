import { expect, it } from 'vitest';
import { isOutsideOfScope } from './check-project.ts';

it.each([
  ['no scope', undefined, false],
  ['an empty scope', null, false],
  ['a scope without names', {}, false],
  ['another project', { projects: [{ project: 'red' }] }, true],
  ['the project', { projects: [{ project: 'red' }, { project: 'payments' }] }, false],
  ['all projects', { projects: [{ project: '*' }] }, false],
  ['a virtual cluster in the project', { virtualClusters: [{ project: 'payments', virtualCluster: 'a' }] }, false],
  ['a virtual cluster elsewhere', { virtualClusters: [{ project: 'red', virtualCluster: 'a' }] }, true],
  ['a space in the project', { spaces: [{ project: 'payments', space: 'a' }] }, false],
  ['only a cluster', { clusters: [{ cluster: 'local' }] }, true],
  ['rules', { rules: [{ verbs: ['list'] }], projects: [{ project: 'red' }] }, false],
])('isOutsideOfScope supports %s', (_name, scope, expected) => {
  expect(isOutsideOfScope(scope, 'payments')).toBe(expected);
});
