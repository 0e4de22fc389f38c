import type { KubeObject } from '../../api/meta.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { selectorObjectMatches } from '../../api/selectors/selector-object.ts';
import { compareBytes } from '../../lib/json-order.ts';
import { listAt, objectAt } from '../../lib/json-path.ts';
import { equalJson, type JsonValue } from '../../lib/json-value.ts';

/** Whether the rules of this cluster role follow those of others. */
export function isAggregated(role: KubeObject): boolean {
  return objectAt(role as JsonValue, 'aggregationRule') !== undefined;
}

/** The rules that an aggregated role should have: those of whatever its selectors find, by name, none twice. */
export function aggregatedRules(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectorsOf(role)) {
    const found = all.filter((other) => other.metadata.name !== role.metadata.name && selects(selector, other));
    found.sort((a, b) => compareBytes(a.metadata.name ?? '', b.metadata.name ?? ''));
    for (const rule of found.flatMap(rulesOf)) {
      const key = sameness(rule);
      if (!rules.has(key)) rules.set(key, rule);
    }
  }
  return [...rules.values()];
}

/** Whether a role gives its rules to an aggregated one, if the two are not the same. */
export function givesTo(role: KubeObject, aggregated: KubeObject): boolean {
  return selectorsOf(aggregated).some((selector) => selects(selector, role));
}

export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return equalJson(a.map(sameness), b.map(sameness));
}

/** An empty list and none are the same to Kubernetes. */
function sameness({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return JSON.stringify(lists.map((list) => list ?? []));
}

function selectorsOf(role: KubeObject): readonly JsonValue[] {
  return listAt(role as JsonValue, 'aggregationRule', 'clusterRoleSelectors');
}

function selects(selector: JsonValue, role: KubeObject): boolean {
  return selectorObjectMatches(selector, role.metadata.labels ?? {});
}
