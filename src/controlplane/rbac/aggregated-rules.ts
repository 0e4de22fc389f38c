import { compareBytes, equalJson, type JsonValue, listAt, objectAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { labelSelectorMatches } from '../../api/selectors/selector-object.ts';

/** True if the cluster role has an aggregationRule, so its rules are copied from other cluster roles. */
export function isAggregatedRole(role: KubeObject): boolean {
  return objectAt(role as JsonValue, 'aggregationRule') !== undefined;
}

/**
 * The maximum size of the rules of an aggregated role, in characters of JSON: about 3,000 rules. When a selected role
 * changes, all these rules are computed and stored again.
 */
const maxCharacters = 256 * 1024;

/**
 * Returns the rules of all roles that an aggregated role selects, ordered by role name, without duplicates. `undefined`
 * if they are too large.
 */
export function aggregatedRules(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] | undefined {
  const rules = new Map<string, PolicyRule>();
  /** The roles that earlier selectors have selected. The result already contains all rules of these roles. */
  const added = new Set<KubeObject>();
  let characters = 0;
  for (const selector of selectorsOf(role)) {
    const found = all.filter(
      (other) => !added.has(other) && other.metadata.name !== role.metadata.name && selects(selector, other),
    );
    found.sort((a, b) => compareBytes(a.metadata.name ?? '', b.metadata.name ?? ''));
    for (const other of found) added.add(other);
    for (const rule of rulesOfAll(found)) {
      const key = comparisonKey(rule);
      if (rules.has(key)) continue;
      rules.set(key, rule);
      characters += key.length;
      if (characters > maxCharacters) return undefined;
    }
  }
  return [...rules.values()];
}

function* rulesOfAll(roles: readonly KubeObject[]): Generator<PolicyRule> {
  for (const role of roles) yield* rulesOf(role);
}

/** The number of selectors of an aggregated role. */
export function selectorCount(role: KubeObject): number {
  return selectorsOf(role).length;
}

/** True if the aggregated role selects the given role. The two must be different roles. */
export function isSelectedByAggregation(role: KubeObject, aggregated: KubeObject): boolean {
  return selectorsOf(aggregated).some((selector) => selects(selector, role));
}

export function equalRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return equalJson(a.map(comparisonKey), b.map(comparisonKey));
}

/** Returns a string that is equal for equal rules. As in Kubernetes, an empty list equals a missing list. */
function comparisonKey({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return JSON.stringify(lists.map((list) => list ?? []));
}

function selectorsOf(role: KubeObject): readonly JsonValue[] {
  return listAt(role as JsonValue, 'aggregationRule', 'clusterRoleSelectors');
}

function selects(selector: JsonValue, role: KubeObject): boolean {
  return labelSelectorMatches(selector, role.metadata.labels ?? {});
}
