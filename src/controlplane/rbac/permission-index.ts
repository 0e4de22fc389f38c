import type { WorkMeter } from '@flotilla/work-meter';
import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import { PathSet } from './path-set.ts';

/** One permission on a resource. Without a name, the permission applies to all names. */
interface ResourcePermission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

/** The names for which a permission is granted. `undefined` means all names. */
type Names = Set<string> | undefined;

/** A rule with too many permissions to index each of them. */
interface BroadRule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string> | undefined;
}

/**
 * The maximum number of single permissions per item in the lists of a rule. A rule with more single permissions is not
 * expanded to single permissions.
 */
const maxExpansion = 4;

/**
 * The cost of one lookup or insertion of a single permission, in units. One unit is the cost of a comparison with one
 * rule.
 */
const lookupUnits = 8;

/**
 * The permissions in a list of rules, indexed so that a lookup does not depend on the number of rules. Rules with many
 * permissions are indexed by their verbs, groups and resources separately. `meter` counts all work.
 */
export class PermissionIndex {
  readonly #meter: WorkMeter;
  /** The permissions by verb, group and resource. */
  readonly #permissions = new Map<string, Map<string, Map<string, Names>>>();
  /** The broad rules by verb, by group and by resource. */
  readonly #broad = {
    verbs: new Map<string, BroadRule[]>(),
    groups: new Map<string, BroadRule[]>(),
    resources: new Map<string, BroadRule[]>(),
  };
  /** The paths of nonResourceURLs by verb. */
  readonly #paths = new Map<string, PathSet>();

  constructor(rules: readonly PolicyRule[], meter: WorkMeter) {
    this.#meter = meter;
    for (const rule of rules) this.#add(rule);
  }

  /**
   * True if a rule grants the permission. A wildcard in a rule matches every value. The permission itself can also have
   * the verb `*`.
   */
  grants(permission: ResourcePermission): boolean {
    this.#meter.charge(lookupUnits);
    const { verb, group, resource } = permission;
    const resources = coveringResources(resource);
    for (const groups of [this.#permissions.get(verb), this.#permissions.get('*')]) {
      for (const byResource of [groups?.get(group), groups?.get('*')]) {
        if (byResource === undefined) continue;
        for (const each of resources)
          if (byResource.has(each) && includesName(byResource.get(each), permission)) return true;
      }
    }
    return this.#broad.verbs.size > 0 && this.#hasBroadRule(permission, resources);
  }

  grantsPath(verb: string, path: string): boolean {
    this.#meter.charge(lookupUnits);
    return [verb, '*'].some((each) => this.#paths.get(each)?.covers(path) === true);
  }

  /**
   * True if a broad rule grants the permission. Searches only the shortest of three lists: the broad rules with the
   * verb, with the group, or with the resource.
   */
  #hasBroadRule(permission: ResourcePermission, resources: readonly string[]): boolean {
    const { verb, group } = permission;
    const candidates = shortest([
      listsOf(this.#broad.verbs, [verb, '*']),
      listsOf(this.#broad.groups, [group, '*']),
      listsOf(this.#broad.resources, resources),
    ]);
    const has = (items: ReadonlySet<string>, item: string) => items.has(item) || items.has('*');
    return candidates.some((rules) =>
      rules.some((rule) => {
        this.#meter.charge(1);
        if (!has(rule.verbs, verb) || !has(rule.groups, group)) return false;
        return resources.some((each) => rule.resources.has(each)) && includesName(rule.names, permission);
      }),
    );
  }

  #add(rule: PolicyRule): void {
    const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    const items = verbs.length + apiGroups.length + resources.length + resourceNames.length;
    const permissions = verbs.length * apiGroups.length * resources.length * Math.max(resourceNames.length, 1);
    this.#meter.charge(1 + items);
    if (permissions > maxExpansion * items) this.#addBroad(rule);
    else if (permissions > 0) this.#addSingles(rule, permissions);
    // As in Kubernetes, a rule with resourceNames covers only permissions with a name. Paths have no name.
    if (resourceNames.length === 0) this.#addPaths(verbs, nonResourceURLs);
  }

  #addSingles({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule, permissions: number): void {
    this.#meter.charge(lookupUnits * permissions);
    for (const verb of verbs) {
      const groups = getOrAdd(this.#permissions, verb, () => new Map<string, Map<string, Names>>());
      for (const group of apiGroups) {
        const byResource = getOrAdd(groups, group, () => new Map<string, Names>());
        for (const resource of resources) {
          if (resourceNames.length === 0) {
            byResource.set(resource, undefined);
            continue;
          }
          const names = getOrAdd(byResource, resource, () => new Set<string>());
          for (const name of resourceNames) names?.add(name);
        }
      }
    }
  }

  #addBroad({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): void {
    const rule: BroadRule = {
      verbs: new Set(verbs),
      groups: new Set(apiGroups),
      resources: new Set(resources),
      names: resourceNames.length === 0 ? undefined : new Set(resourceNames),
    };
    for (const verb of rule.verbs) getOrAdd(this.#broad.verbs, verb, () => []).push(rule);
    for (const group of rule.groups) getOrAdd(this.#broad.groups, group, () => []).push(rule);
    for (const resource of rule.resources) getOrAdd(this.#broad.resources, resource, () => []).push(rule);
  }

  #addPaths(verbs: readonly string[], paths: readonly string[]): void {
    this.#meter.charge(lookupUnits * verbs.length * paths.length);
    for (const verb of verbs) {
      const set = getOrAdd(this.#paths, verb, () => new PathSet());
      for (const path of paths) set.add(path);
    }
  }
}

/**
 * Returns the entries of a rule's `resources` that cover a resource. `*` followed by `/status` covers the status
 * subresource of all resources.
 */
function coveringResources(resource: string): readonly string[] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, '*'] : [resource, '*', `*${resource.slice(slash)}`];
}

function listsOf(index: ReadonlyMap<string, BroadRule[]>, keys: readonly string[]): readonly (readonly BroadRule[])[] {
  return [...new Set(keys)].flatMap((key) => {
    const rules = index.get(key);
    return rules === undefined ? [] : [rules];
  });
}

/** Returns the candidate whose lists have the fewest items in total. */
function shortest<T>(candidates: readonly (readonly (readonly T[])[])[]): readonly (readonly T[])[] {
  const sizes = candidates.map((lists) => lists.reduce((sum, list) => sum + list.length, 0));
  return candidates[sizes.indexOf(Math.min(...sizes))] ?? [];
}

function includesName(names: ReadonlySet<string> | undefined, { name }: ResourcePermission): boolean {
  return names === undefined || (name !== undefined && names.has(name));
}

/**
 * Returns the value of a key. If the key is absent, first adds a new value for it. A stored `undefined` counts as a
 * value.
 */
function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined || map.has(key)) return found as V;
  const created = create();
  map.set(key, created);
  return created;
}
