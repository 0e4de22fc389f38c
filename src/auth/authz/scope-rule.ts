import type { ScopeRule } from '../../api/management/v1/scope.ts';
import { projectNamespace } from '../../api/naming.ts';
import type { Attributes, RequestTarget, ResourceAttributes } from './attributes.ts';

interface RuleResources {
  readonly group: string;
  /** Patterns for resources of the group. If empty, every resource of the group matches. */
  readonly resources: ReadonlySet<string>;
  /** Object names. If empty, every name matches. */
  readonly names: ReadonlySet<string>;
}

/** A compiled rule from the deprecated `rules` of a scope. All members must match. An empty list matches everything. */
export interface CompiledScopeRule {
  readonly verbs: ReadonlySet<string>;
  readonly resources: readonly RuleResources[];
  readonly namespaces: ReadonlySet<string>;
  readonly paths: readonly string[];
  readonly targets: ReadonlySet<string>;
  readonly cluster: string;
  readonly virtualClusters: readonly { readonly name: string; readonly namespace: string }[];
}

export function compileScopeRule(rule: ScopeRule): CompiledScopeRule {
  const ruleNames = new Set(rule.resourceNames);
  return {
    verbs: new Set(rule.verbs),
    resources: (rule.resources ?? []).map(({ group = '', resources, resourceNames = [] }) => ({
      group,
      resources: new Set(resources),
      names: intersection(resourceNames, ruleNames),
    })),
    namespaces: new Set(rule.namespaces),
    paths: rule.nonResourceURLs ?? [],
    targets: new Set(rule.requestTargets),
    cluster: rule.cluster ?? '',
    virtualClusters: (rule.virtualClusters ?? []).map(({ name = '', namespace = '' }) => ({ name, namespace })),
  };
}

/** A name that no object has. It represents an empty intersection, because an empty list would match every name. */
const noName = '\0';

/**
 * Returns the names that are in both lists. An empty list represents all names. If `own` is empty, returns the set
 * `ruleNames` itself.
 */
function intersection(own: readonly string[], ruleNames: ReadonlySet<string>): ReadonlySet<string> {
  if (own.length === 0) return ruleNames;
  if (ruleNames.size === 0) return new Set(own);
  const shared = own.filter((name) => ruleNames.has(name));
  return new Set(shared.length === 0 ? [noName] : shared);
}

export interface RuleMatching {
  /**
   * True if the request addresses a collection whose items are filtered later. Object names are then checked per item.
   * Namespaces are also checked per item if the request covers all namespaces.
   */
  readonly collection: boolean;
}

export function scopeRuleMatches(
  rule: CompiledScopeRule,
  attributes: Attributes,
  { collection }: RuleMatching,
): boolean {
  if (rule.verbs.size > 0 && !rule.verbs.has(attributes.verb) && !rule.verbs.has('*')) return false;
  if (!matchesTarget(rule, attributes.target)) return false;
  const aboutResources = rule.resources.length > 0 || rule.namespaces.size > 0;
  if (!aboutResources && rule.paths.length === 0) return true;
  if (!attributes.resourceRequest) return rule.paths.some((each) => matchesUrl(each, attributes.path));
  return (
    aboutResources && matchesNamespace(rule, attributes, collection) && matchesResource(rule, attributes, collection)
  );
}

function matchesTarget(rule: CompiledScopeRule, target: RequestTarget | undefined): boolean {
  const type = target?.type ?? 'Management';
  if (rule.targets.size > 0 && !rule.targets.has(type)) return false;
  if (rule.cluster !== '' && !(target?.type === 'Cluster' && target.cluster === rule.cluster)) return false;
  if (target?.type !== 'ProjectVirtualCluster' || rule.virtualClusters.length === 0) return true;
  return rule.virtualClusters.some(
    ({ name, namespace }) =>
      (name === '' || name === target.virtualCluster) &&
      (namespace === '' || namespace === projectNamespace(target.project)),
  );
}

function matchesNamespace(rule: CompiledScopeRule, attributes: ResourceAttributes, collection: boolean): boolean {
  if (rule.namespaces.size === 0) return true;
  const isNamespaceItself = attributes.group === '' && attributes.resource === 'namespaces';
  const namespace = isNamespaceItself ? '' : attributes.namespace;
  return rule.namespaces.has(namespace) || (collection && namespace === '');
}

function matchesResource(rule: CompiledScopeRule, attributes: ResourceAttributes, collection: boolean): boolean {
  if (rule.resources.length === 0) return true;
  return rule.resources.some(
    ({ group, resources, names }) =>
      group === attributes.group &&
      (resources.size === 0 || matchesResourceName(resources, attributes)) &&
      (names.size === 0 || collection || names.has(attributes.name)),
  );
}

/**
 * True if one of the patterns matches: `pods`, `pods/log`, `pods/*`, or `*` for everything. Each request, and each item
 * of a list, is checked against all rules of a scope. Therefore the function looks up the few patterns that can match
 * instead of comparing all patterns.
 */
function matchesResourceName(
  patterns: ReadonlySet<string>,
  { resource, subresource }: Pick<ResourceAttributes, 'resource' | 'subresource'>,
): boolean {
  if (patterns.has('*')) return true;
  if (subresource === '') return patterns.has(resource);
  if (patterns.has(`${resource}/${subresource}`) || patterns.has(`${resource}/*`)) return true;
  return patterns.has(`*/${subresource}`) || patterns.has('*/*');
}

function matchesUrl(pattern: string, path: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
