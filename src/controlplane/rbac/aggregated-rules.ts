import { compareBytes, equalJson, type JsonValue, listAt, objectAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { selectorObjectMatches } from '../../api/selectors/selector-object.ts';

/** True if the rules of this cluster role are aggregated from others. */
export function isAggregated(role: KubeObject): boolean {
  return objectAt(role as JsonValue, 'aggregationRule') !== undefined;
}

/** The rules that an aggregated role should have: those of all selected roles, sorted by name, without duplicates. */
export function aggregatedRules(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectorsOf(role)) {
    const found = all.filter((other) => other.metadata.name !== role.metadata.name && selects(selector, other));
    found.sort((a, b) => compareBytes(a.metadata.name ?? '', b.metadata.name ?? ''));
    for (const rule of found.flatMap(rulesOf)) {
      const key = comparisonKey(rule);
      if (!rules.has(key)) rules.set(key, rule);
    }
  }
  return [...rules.values()];
}

/** Reports whether an aggregated role selects this role, provided that the two are not the same. */
export function isSelectedBy(role: KubeObject, aggregated: KubeObject): boolean {
  return selectorsOf(aggregated).some((selector) => selects(selector, role));
}

export function equalRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return equalJson(a.map(comparisonKey), b.map(comparisonKey));
}

/** A comparison key. Kubernetes treats an empty list and a missing one alike. */
function comparisonKey({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return JSON.stringify(lists.map((list) => list ?? []));
}

function selectorsOf(role: KubeObject): readonly JsonValue[] {
  return listAt(role as JsonValue, 'aggregationRule', 'clusterRoleSelectors');
}

function selects(selector: JsonValue, role: KubeObject): boolean {
  return selectorObjectMatches(selector, role.metadata.labels ?? {});
}
