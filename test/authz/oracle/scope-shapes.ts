import type { JsonObject } from '@flotilla/json';
import { managementGroup, projectNamespace, scopeCliFlag } from '../../../src/api/naming.ts';
import {
  discovers,
  lists,
  matches,
  readsCluster,
  readsDefinitions,
  readsInstances,
  readsProject,
  readsProjectSubresources,
  reviewsSelf,
  type ScopePredicate,
  usesInstance,
  usesSpace,
  worksIn,
} from './scope-predicates.ts';

/** A scope as a client sends it, and what the scope allows: a request passes if one of `covers` returns true. */
export interface ScopeShape {
  readonly name: string;
  readonly scope: JsonObject;
  readonly covers: readonly ScopePredicate[];
}

const cli = { [scopeCliFlag]: true };
const project = (name: string): ScopePredicate[] => [readsProject(name), worksIn(name)];
const tool: ScopePredicate[] = [reviewsSelf, discovers, readsDefinitions];

const reading = ['get', 'list', 'watch'];
const vci = 'virtualclusterinstances';

/** Scopes in their current form: completions §5. */
export const scopeShapes: readonly ScopeShape[] = [
  { name: 'project', scope: { projects: [{ project: 'red' }] }, covers: project('red') },
  {
    name: 'both-projects',
    scope: { projects: [{ project: 'red' }, { project: 'blue' }] },
    covers: [...project('red'), ...project('blue')],
  },
  { name: 'all-projects', scope: { projects: [{ project: '*' }] }, covers: project('*') },
  { name: 'no-such-project', scope: { projects: [{ project: 'nowhere' }] }, covers: project('nowhere') },
  {
    name: 'instance',
    scope: { virtualClusters: [{ project: 'red', virtualCluster: 'r-user' }] },
    covers: [usesInstance('red', 'r-user')],
  },
  {
    name: 'all-instances-of',
    scope: { virtualClusters: [{ project: 'red', virtualCluster: '*' }] },
    covers: [usesInstance('red', '*')],
  },
  {
    name: 'all-instances',
    scope: { virtualClusters: [{ project: '*', virtualCluster: '*' }] },
    covers: [usesInstance('*', '*')],
  },
  {
    name: 'project-and-instance',
    scope: { projects: [{ project: 'red' }], virtualClusters: [{ project: 'blue', virtualCluster: 'b-user' }] },
    covers: [...project('red'), usesInstance('blue', 'b-user')],
  },
  { name: 'space', scope: { spaces: [{ project: 'red', space: 's-user' }] }, covers: [usesSpace('red', 's-user')] },
  { name: 'all-spaces-of', scope: { spaces: [{ project: 'red', space: '*' }] }, covers: [usesSpace('red', '*')] },
  { name: 'all-spaces', scope: { spaces: [{ project: '*', space: '*' }] }, covers: [usesSpace('*', '*')] },
  {
    name: 'instance-and-space',
    scope: {
      virtualClusters: [{ project: 'blue', virtualCluster: 'b-user' }],
      spaces: [{ project: 'red', space: 's-user' }],
    },
    covers: [usesInstance('blue', 'b-user'), usesSpace('red', 's-user')],
  },
  // Allows access to this cluster, and reads of its object.
  { name: 'cluster', scope: { clusters: [{ cluster: 'c-red' }] }, covers: [readsCluster('c-red')] },
  { name: 'all-clusters', scope: { clusters: [{ cluster: '*' }] }, covers: [readsCluster('*')] },
  {
    name: 'tool',
    scope: cli,
    covers: [...tool, readsProject('*'), readsProjectSubresources('*'), readsCluster('*'), readsInstances],
  },
  {
    name: 'tool-project',
    scope: { ...cli, projects: [{ project: 'red' }] },
    covers: [
      ...tool,
      lists,
      ...project('red'),
      readsProjectSubresources('red'),
      // The clusters that the project allows.
      readsCluster('local'),
      readsCluster('c-red'),
    ],
  },
  {
    name: 'tool-instance',
    scope: { ...cli, virtualClusters: [{ project: 'red', virtualCluster: 'r-user' }] },
    covers: [...tool, lists, usesInstance('red', 'r-user')],
  },
  {
    name: 'tool-cluster',
    scope: { ...cli, clusters: [{ cluster: 'c-red' }] },
    covers: [...tool, lists, readsCluster('c-red')],
  },
  {
    name: 'tool-space',
    scope: { ...cli, spaces: [{ project: 'red', space: '*' }] },
    covers: [...tool, lists, usesSpace('red', '*')],
  },
];

const readsRedInstances: JsonObject = {
  verbs: reading,
  resources: [{ group: managementGroup, resources: [vci] }],
  namespaces: [projectNamespace('red')],
};

const readsOneCluster: JsonObject = {
  verbs: reading,
  resources: [{ group: managementGroup, resources: ['clusters'], resourceNames: ['c-red'] }],
};

/** Scopes that combine the current form and the deprecated rules. */
export const mixedShapes: readonly ScopeShape[] = [
  {
    name: 'project-and-rule',
    scope: { projects: [{ project: 'blue' }], rules: [readsRedInstances] },
    covers: [...project('blue'), matches({ verbs: reading, resources: [vci], projects: ['red'] })],
  },
  {
    name: 'tool-and-rule',
    scope: { ...cli, rules: [readsOneCluster] },
    covers: [...tool, lists, matches({ verbs: reading, resources: ['clusters'], names: ['c-red'] })],
  },
];
