import type { ScopeRule } from '../../../src/api/management/v1/scope.ts';
import { projectOfNamespace } from '../../../src/api/naming.ts';
import { joinNames } from '../../data/format-text.ts';

const targets: Readonly<Record<string, string>> = {
  Management: 'the management API',
  Cluster: 'connected clusters',
  ProjectSpace: 'spaces',
  ProjectVirtualCluster: 'virtual clusters',
};

/** Describes a scope rule in one sentence. The rule allows a request only if all its conditions match. */
export function describeRule(rule: ScopeRule): string {
  const { verbs = [], namespaces = [], nonResourceURLs: paths = [], resources = [] } = rule;
  const does =
    verbs.length === 0 || verbs.includes('*')
      ? 'All verbs'
      : `${verbs.length === 1 ? 'Verb' : 'Verbs'} ${joinNames(verbs)}`;
  const isAboutResources = resources.length > 0 || namespaces.length > 0;
  const what = [
    ...(isAboutResources ? [`${resourcesText(rule)}${namespacesText(namespaces)}`] : []),
    ...(paths.length > 0 ? [`${paths.length === 1 ? 'the path' : 'the paths'} ${joinNames(paths)}`] : []),
  ];
  const on = what.length === 0 ? 'everything' : joinNames(what);
  return `${does} on ${on}${whereText(rule)}.`;
}

function resourcesText({ resources = [], resourceNames: ofAll = [] }: ScopeRule): string {
  if (resources.length === 0) return 'all resources';
  const named = (names: readonly string[]) => (names.length === 0 ? '' : ` named ${joinNames(names, 'or')}`);
  const each = resources.map(({ group = '', resources: plurals = [], resourceNames = [] }) => {
    const kinds = plurals.length === 0 || plurals.includes('*') ? 'all resources' : joinNames(plurals);
    return `${kinds} of ${group === '' ? 'the core group' : group}${named(resourceNames)}`;
  });
  return `${joinNames(each)}${ofAll.length === 0 ? '' : `, in each case only objects${named(ofAll)}`}`;
}

function namespacesText(namespaces: readonly string[]): string {
  if (namespaces.length === 0) return '';
  const named = namespaces.filter((name) => name !== '');
  const places = [
    ...(named.length === 0
      ? []
      : [`in ${named.length === 1 ? 'the namespace' : 'the namespaces'} ${joinNames(named)}`]),
    ...(named.length === namespaces.length ? [] : ['outside of namespaces']),
  ];
  return ` ${joinNames(places)}`;
}

function whereText({ requestTargets = [], cluster = '', virtualClusters = [] }: ScopeRule): string {
  const places: string[] = [];
  if (requestTargets.length > 0) places.push(`only on ${joinNames(requestTargets.map((one) => targets[one] ?? one))}`);
  if (cluster !== '') places.push(`only on cluster ${cluster}`);
  if (virtualClusters.length > 0) {
    const each = virtualClusters.map(({ name = '', namespace = '' }) => {
      const project = namespace === '' ? 'any project' : `project ${projectOfNamespace(namespace) ?? namespace}`;
      return `${name === '' ? 'all virtual clusters' : `virtual cluster ${name}`} of ${project}`;
    });
    places.push(`only for ${joinNames(each)}`);
  }
  return places.length === 0 ? '' : `, ${places.join(', ')}`;
}
