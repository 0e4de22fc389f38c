import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import { goQuote } from '../../lib/go-quote.ts';
import { compareBytes } from '../../lib/json-order.ts';
import { pathCovers } from './rule-allows.ts';

/**
 * How much is compared at most: some hundred milliseconds' worth. A rule of thousands of groups, resources and verbs
 * stands for more single rights than anybody can look at; what is beyond this counts as not held, unless one rule of
 * the owner has all of it.
 */
const mostComparisons = 2_000_000;

/** Lacking rights that are told one by one: an answer of some hundred kilobytes, from a body of a few. */
const mostTold = 2_000;

/**
 * The rights within `wanted` that no rule of the owner covers, each as a rule of its own; where they are too many, the
 * rule that they are in. Empty: all are held.
 */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const lacking: PolicyRule[] = [];
  let left = mostComparisons;
  let told = 0;
  for (const rule of wanted) {
    if (owned.some((owner) => covers(owner, rule))) continue;
    left -= singlesOf(rule) * Math.max(owned.length, 1);
    const singles = left < 0 ? undefined : uncoveredSingles(owned, rule, mostTold - told);
    told += singles?.length ?? 0;
    lacking.push(...(singles ?? [rule]));
  }
  return lacking;
}

/** undefined: more than `most`. */
function uncoveredSingles(owned: readonly PolicyRule[], rule: PolicyRule, most: number): PolicyRule[] | undefined {
  const lacking: PolicyRule[] = [];
  for (const single of singleRights(rule)) {
    if (owned.some((owner) => covers(owner, single))) continue;
    if (lacking.length === most) return undefined;
    lacking.push(single);
  }
  return lacking;
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
  // One is what nearly every question is about; long lists are looked up rather than searched.
  if (wanted.length < 2) return wanted.every((item) => owned.includes(item));
  const set = new Set(owned);
  return wanted.every((item) => set.has(item));
}

/** `*` with a subresource covers that part of everything, as it does in decisions. */
function resourcesCover(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  if (holdsAll(owned, wanted)) return true;
  return wanted.every((resource) => {
    const slash = resource.indexOf('/');
    return owned.includes(resource) || (slash >= 0 && owned.includes(`*${resource.slice(slash)}`));
  });
}

/** No names are all names, which only no names cover. */
function namesCover(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.length === 0 || (wanted.length > 0 && containsAll(owned, wanted));
}

function singlesOf({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  return (
    verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length)
  );
}

function* singleRights(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const right = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) yield right;
        for (const name of resourceNames) yield { ...right, resourceNames: [name] };
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { verbs: [verb], nonResourceURLs: [url] };
}

/** Rights as messages list them, a line each: those that differ in nothing but the verb share one. Sorted. */
export function describeRights(rights: readonly PolicyRule[]): string {
  const together = new Map<string, PolicyRule>();
  const apart: PolicyRule[] = [];
  for (const right of rights) {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = right;
    const isSimple = apiGroups.length === 1 && resources.length === 1 && resourceNames.length < 2;
    if (!isSimple || nonResourceURLs.length > 0) {
      apart.push(right);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const before = together.get(key);
    together.set(key, before === undefined ? right : { ...right, verbs: [...before.verbs, ...right.verbs] });
  }
  const lines = new Set([...apart, ...together.values()].map(describeRule));
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
  const told = parts.flatMap(([name, list = []]) => (list.length === 0 ? [] : [`${name}:${quotedList(list)}`]));
  return `{${told.join(', ')}}`;
}

/** As Go prints a list of texts with %q. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
