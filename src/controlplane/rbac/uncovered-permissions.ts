import { goQuote } from '@flotilla/go-text';
import { compareBytes } from '@flotilla/json';
import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import { pathCovers } from './rule-allows.ts';

/**
 * The maximum number of comparisons of single permissions in one call, which take a few hundred milliseconds. A rule
 * with thousands of groups, resources and verbs would exceed it. Such a rule counts as not covered, unless a single
 * owned rule covers it completely.
 */
const maxComparisons = 2_000_000;

/**
 * The maximum number of missing permissions that an error lists one by one. Such a list takes some hundred kilobytes,
 * which is a large response to a request of a few kilobytes.
 */
const maxListed = 2_000;

/**
 * Returns the permissions in `wanted` that no rule in `owned` covers, each as a separate rule. If a rule contains too
 * many of them, the whole rule is returned instead. Empty if all permissions are covered.
 */
export function uncoveredPermissions(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  let remainingComparisons = maxComparisons;
  let listed = 0;
  for (const rule of wanted) {
    if (owned.some((owner) => covers(owner, rule))) continue;
    remainingComparisons -= singleCount(rule) * Math.max(owned.length, 1);
    const singles = remainingComparisons < 0 ? undefined : uncoveredSingles(owned, rule, maxListed - listed);
    listed += singles?.length ?? 0;
    missing.push(...(singles ?? [rule]));
  }
  return missing;
}

/** Returns the single permissions of a rule that are not covered, `undefined` if there are more than `limit`. */
function uncoveredSingles(owned: readonly PolicyRule[], rule: PolicyRule, limit: number): PolicyRule[] | undefined {
  const missing: PolicyRule[] = [];
  for (const single of singlePermissions(rule)) {
    if (owned.some((owner) => covers(owner, single))) continue;
    if (missing.length === limit) return undefined;
    missing.push(single);
  }
  return missing;
}

function covers(owner: PolicyRule, wanted: PolicyRule): boolean {
  return (
    holdsAll(owner.verbs, wanted.verbs) &&
    holdsAll(owner.apiGroups, wanted.apiGroups) &&
    resourcesCover(owner.resources, wanted.resources) &&
    namesCover(owner.resourceNames, wanted.resourceNames) &&
    (wanted.nonResourceURLs ?? []).every((path) => owner.nonResourceURLs?.some((own) => pathCovers(own, path)) ?? false)
  );
}

function holdsAll(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.includes('*') || containsAll(owned, wanted);
}

function containsAll(owned: readonly string[], wanted: readonly string[]): boolean {
  // Most lists have one item, for which a search is fastest. For longer lists, a set is faster.
  if (wanted.length < 2) return wanted.every((item) => owned.includes(item));
  const set = new Set(owned);
  return wanted.every((item) => set.has(item));
}

/**
 * True if the owned resources cover the wanted ones. `*` followed by `/status` covers that subresource of everything.
 */
function resourcesCover(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  if (holdsAll(owned, wanted)) return true;
  return wanted.every((resource) => {
    const slash = resource.indexOf('/');
    return owned.includes(resource) || (slash >= 0 && owned.includes(`*${resource.slice(slash)}`));
  });
}

/** True if the owned names cover the wanted ones. An empty list means all names. */
function namesCover(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.length === 0 || (wanted.length > 0 && containsAll(owned, wanted));
}

function singleCount({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  return (
    verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length)
  );
}

function* singlePermissions(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const permission = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) yield permission;
        for (const name of resourceNames) yield { ...permission, resourceNames: [name] };
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { verbs: [verb], nonResourceURLs: [url] };
}

/**
 * Formats permissions for an error message, sorted, one per line. Permissions that differ only in their verbs share a
 * line.
 */
export function describePermissions(permissions: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  const separate: PolicyRule[] = [];
  for (const permission of permissions) {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = permission;
    const isSimple = apiGroups.length === 1 && resources.length === 1 && resourceNames.length < 2;
    if (!isSimple || nonResourceURLs.length > 0) {
      separate.push(permission);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined ? permission : { ...permission, verbs: [...before.verbs, ...permission.verbs] },
    );
  }
  const lines = new Set([...separate, ...merged.values()].map(describeRule));
  return [...lines].sort(compareBytes).join('\n');
}

function describeRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const listed = parts.flatMap(([name, list = []]) => (list.length === 0 ? [] : [`${name}:${quotedList(list)}`]));
  return `{${listed.join(', ')}}`;
}

/** Formats a list of strings like Go's `%q`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
