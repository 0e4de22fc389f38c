import { projectNamespace } from '../../api/naming.ts';
import { listAt, textAt, textsAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { Attributes, RequestTarget, ResourceAttributes } from './attributes.ts';

interface RuleResources {
  readonly group: string;
  /** Empty: everything of the group. */
  readonly resources: readonly string[];
  /** Empty: every name. */
  readonly names: ReadonlySet<string>;
}

/** One of a scope's deprecated rules. Everything that it gives must match; an empty list matches everything. */
export interface ScopeRule {
  readonly verbs: ReadonlySet<string>;
  readonly resources: readonly RuleResources[];
  readonly namespaces: ReadonlySet<string>;
  readonly paths: readonly string[];
  readonly targets: ReadonlySet<string>;
  readonly cluster: string;
  readonly virtualClusters: readonly { readonly name: string; readonly namespace: string }[];
}

export function compileRule(rule: JsonValue): ScopeRule {
  const ofAll = textsAt(rule, 'resourceNames');
  return {
    verbs: new Set(textsAt(rule, 'verbs')),
    resources: listAt(rule, 'resources').map((entry) => ({
      group: textAt(entry, 'group'),
      resources: textsAt(entry, 'resources'),
      names: both(textsAt(entry, 'resourceNames'), ofAll),
    })),
    namespaces: new Set(textsAt(rule, 'namespaces')),
    paths: textsAt(rule, 'nonResourceURLs'),
    targets: new Set(textsAt(rule, 'requestTargets')),
    cluster: textAt(rule, 'cluster'),
    virtualClusters: listAt(rule, 'virtualClusters').map((entry) => ({
      name: textAt(entry, 'name'),
      namespace: textAt(entry, 'namespace'),
    })),
  };
}

/** A name that no object has: what two lists of names have in common may be nothing, which is not "every name". */
const noName = '\0';

function both(own: readonly string[], ofAll: readonly string[]): Set<string> {
  if (own.length === 0 || ofAll.length === 0) return new Set([...own, ...ofAll]);
  const shared = own.filter((name) => ofAll.includes(name));
  return new Set(shared.length === 0 ? [noName] : shared);
}

export interface RuleMatching {
  /**
   * The request is for a collection that will be shown in part: its name, and the namespace of one that goes over all
   * of them, are asked for each object.
   */
  readonly collection: boolean;
}

export function ruleMatches(rule: ScopeRule, asked: Attributes, { collection }: RuleMatching): boolean {
  if (rule.verbs.size > 0 && !rule.verbs.has(asked.verb) && !rule.verbs.has('*')) return false;
  if (!matchesTarget(rule, asked.target)) return false;
  const aboutResources = rule.resources.length > 0 || rule.namespaces.size > 0;
  if (!aboutResources && rule.paths.length === 0) return true;
  if (!asked.resourceRequest) return rule.paths.some((each) => matchesUrl(each, asked.path));
  return aboutResources && matchesNamespace(rule, asked, collection) && matchesResource(rule, asked, collection);
}

function matchesTarget(rule: ScopeRule, target: RequestTarget | undefined): boolean {
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

function matchesNamespace(rule: ScopeRule, asked: ResourceAttributes, collection: boolean): boolean {
  if (rule.namespaces.size === 0) return true;
  const isNamespaceItself = asked.group === '' && asked.resource === 'namespaces';
  const namespace = isNamespaceItself ? '' : asked.namespace;
  return rule.namespaces.has(namespace) || (collection && namespace === '');
}

function matchesResource(rule: ScopeRule, asked: ResourceAttributes, collection: boolean): boolean {
  if (rule.resources.length === 0) return true;
  return rule.resources.some(
    ({ group, resources, names }) =>
      group === asked.group &&
      (resources.length === 0 || resources.some((each) => matchesName(each, asked))) &&
      (names.size === 0 || collection || names.has(asked.name)),
  );
}

/** `pods`, `pods/log`, `*`, `pods/*`, any `scale`; `*` alone is every resource and every subresource. */
function matchesName(pattern: string, { resource, subresource }: ResourceAttributes): boolean {
  if (pattern === '*') return true;
  const [wantedResource, wantedSub] = pattern.split('/');
  if (wantedResource !== '*' && wantedResource !== resource) return false;
  if (wantedSub === undefined) return subresource === '';
  return subresource !== '' && (wantedSub === '*' || wantedSub === subresource);
}

function matchesUrl(pattern: string, path: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
