import { goQuote } from '@flotilla/go-text';
import { compareBytes } from '@flotilla/json';
import { WorkLimitError, WorkMeter } from '@flotilla/work-meter';
import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import { PathSet } from './path-set.ts';
import { PermissionIndex } from './permission-index.ts';

/**
 * The maximum work of one call, which takes a few hundred milliseconds. One unit is a comparison with one rule. A rule
 * with thousands of groups, resources and verbs would exceed this limit. Such a rule counts as not covered, unless a
 * single owned rule covers it completely.
 */
const maxWork = 2_000_000;

/** The estimated work for one single permission of a rule, in units. */
const unitsPerPermission = 10;

/**
 * The maximum number of missing permissions that an error lists one by one. Such a list takes some hundred kilobytes,
 * which is a large response to a request of a few kilobytes.
 */
const maxListed = 2_000;

/**
 * Returns the permissions in `wanted` that no rule in `owned` covers, each as a separate rule. If too many permissions
 * of a rule are not covered, returns the whole rule instead. Empty if all permissions are covered.
 */
export function uncoveredPermissions(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  meter: WorkMeter = new WorkMeter('comparing permissions', maxWork),
): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  const index = new IndexOnDemand(owned, wanted, meter);
  let permissionsLeft = maxWork / unitsPerPermission;
  let listed = 0;
  for (const rule of wanted) {
    const singles = withinLimit(() => {
      const count = singleCount(rule);
      const isTooBroad = count > permissionsLeft;
      if ((isTooBroad || hasNamedPaths(rule)) && coveredByOne(owned, rule, meter)) return [];
      if (isTooBroad) return undefined;
      permissionsLeft -= count;
      return uncoveredSingles(index.get(), rule, maxListed - listed);
    });
    listed += singles?.length ?? 0;
    for (const single of singles ?? [rule]) missing.push(single);
  }
  return missing;
}

/**
 * The index of the owned rules that can cover a wanted permission. The index is built at most once, even if building it
 * fails.
 */
class IndexOnDemand {
  readonly #build: () => PermissionIndex;
  #result: { readonly index: PermissionIndex } | { readonly error: unknown } | undefined;

  constructor(owned: readonly PolicyRule[], wanted: readonly PolicyRule[], meter: WorkMeter) {
    this.#build = () => new PermissionIndex(relevantRules(owned, wanted, meter), meter);
  }

  /** Throws WorkLimitError if building the index exceeds the limit. */
  get(): PermissionIndex {
    this.#result ??= this.#tryBuild();
    if ('error' in this.#result) throw this.#result.error;
    return this.#result.index;
  }

  #tryBuild() {
    try {
      return { index: this.#build() };
    } catch (error) {
      return { error };
    }
  }
}

/**
 * Returns the owned rules that each have a verb, a group and a resource of a wanted rule, or a wildcard in their place.
 * A caller may own tens of thousands of rules, and indexing the irrelevant rules would take most of the time.
 */
function relevantRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  meter: WorkMeter,
): readonly PolicyRule[] {
  const verbs = new Set(['*']);
  const groups = new Set(['*']);
  const resources = new Set(['*']);
  for (const rule of wanted) {
    for (const verb of rule.verbs) verbs.add(verb);
    for (const group of rule.apiGroups ?? []) groups.add(group);
    for (const resource of rule.resources ?? []) resources.add(resource);
  }
  const isWanted = (resource: string) => resources.has(resource) || resource.startsWith('*/');
  return owned.filter((rule) => {
    const { apiGroups = [], resources: names = [], nonResourceURLs = [] } = rule;
    meter.charge(1 + rule.verbs.length);
    if (!rule.verbs.some((verb) => verbs.has(verb))) return false;
    if (nonResourceURLs.length > 0) return true;
    meter.charge(apiGroups.length + names.length);
    return apiGroups.some((group) => groups.has(group)) && names.some(isWanted);
  });
}

/**
 * True if a rule has both resource names and paths, which the validation rejects. A permission on a single path has no
 * resource names. So an owned rule with resource names can cover the whole rule, but not the rule's single paths.
 */
function hasNamedPaths({ resourceNames = [], nonResourceURLs = [] }: PolicyRule): boolean {
  return resourceNames.length > 0 && nonResourceURLs.length > 0;
}

/** Returns the result of a check, or `undefined` if it exceeds the work limit. */
function withinLimit<T>(check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    return undefined;
  }
}

/** Returns the single permissions of a rule that are not covered, `undefined` if there are more than `limit`. */
function uncoveredSingles(owned: PermissionIndex, rule: PolicyRule, limit: number): PolicyRule[] | undefined {
  const missing: PolicyRule[] = [];
  for (const single of singlePermissions(rule)) {
    if (isGranted(owned, single)) continue;
    if (missing.length >= limit) return undefined;
    missing.push(single);
  }
  return missing;
}

function isGranted(
  owned: PermissionIndex,
  { verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule,
) {
  const verb = verbs[0] ?? '';
  if (nonResourceURLs !== undefined) return owned.grantsPath(verb, nonResourceURLs[0] ?? '');
  const name = resourceNames?.[0];
  const permission = { verb, group: apiGroups?.[0] ?? '', resource: resources?.[0] ?? '' };
  return owned.grants(name === undefined ? permission : { ...permission, name });
}

/** True if a single owned rule covers the whole rule. */
function coveredByOne(owned: readonly PolicyRule[], rule: PolicyRule, meter: WorkMeter): boolean {
  const wantedItems = itemCount(rule);
  return owned.some((owner) => {
    meter.charge(1 + owner.verbs.length);
    // For most rules, the first verb already shows that they do not match. The other lists are then not compared.
    if (!holdsAll(owner.verbs, rule.verbs.slice(0, 1))) return false;
    meter.charge(itemCount(owner) + wantedItems);
    return covers(owner, rule);
  });
}

function itemCount({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
}

function covers(owner: PolicyRule, wanted: PolicyRule): boolean {
  return (
    holdsAll(owner.verbs, wanted.verbs) &&
    holdsAll(owner.apiGroups, wanted.apiGroups) &&
    resourcesCover(owner.resources, wanted.resources) &&
    namesCover(owner.resourceNames, wanted.resourceNames) &&
    pathsCover(owner.nonResourceURLs, wanted.nonResourceURLs)
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
 * True if the owned resources cover the wanted ones. `*` followed by `/status` covers the status subresource of all
 * resources.
 */
function resourcesCover(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  if (holdsAll(owned, wanted)) return true;
  const set = new Set(owned);
  return wanted.every((resource) => {
    const slash = resource.indexOf('/');
    return set.has(resource) || (slash >= 0 && set.has(`*${resource.slice(slash)}`));
  });
}

function pathsCover(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  if (wanted.length === 0) return true;
  const paths = new PathSet();
  for (const path of owned) paths.add(path);
  return wanted.every((path) => paths.covers(path));
}

/** True if the owned names cover the wanted names. An empty list means all names. */
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
  const merged = new Map<string, PolicyRule & { readonly verbs: string[] }>();
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
    if (before === undefined) merged.set(key, { ...permission, verbs: [...permission.verbs] });
    else for (const verb of permission.verbs) before.verbs.push(verb);
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
