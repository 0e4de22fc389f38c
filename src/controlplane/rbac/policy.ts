import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { KindChange, KindStore } from '../../registry/kind-store.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import { glanceAt } from '../../registry/verbs.ts';
import { type Grant, Grants } from './grants.ts';
import { sharedObject, sharedObjects } from './shared-objects.ts';

/** A role that a binding gives and that is not there. */
export interface MissingRole {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** What a binding comes to: the rules of its role, or the role that it lacks. */
export type GrantedRules = readonly PolicyRule[] | MissingRole;

export function isMissing(rules: GrantedRules): rules is MissingRole {
  return 'kind' in rules;
}

/**
 * The roles and bindings of one plane as decisions need them. It is made of the stores' objects when somebody first
 * asks and kept by change from then on; of roles it holds only those that were asked for.
 */
export class Policy {
  readonly roles: KindStore;
  readonly clusterRoles: KindStore;
  readonly roleBindings: KindStore;
  readonly clusterRoleBindings: KindStore;
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  #grants: Grants | undefined;

  constructor(stores: KindStores) {
    this.roles = storeOf(stores, roleKind);
    this.clusterRoles = storeOf(stores, clusterRoleKind);
    this.roleBindings = storeOf(stores, roleBindingKind);
    this.clusterRoleBindings = storeOf(stores, clusterRoleBindingKind);
    // These end with the stores themselves.
    for (const roles of [this.roles, this.clusterRoles]) roles.listen((change) => this.#forget(roles, change));
    for (const bindings of [this.roleBindings, this.clusterRoleBindings]) {
      bindings.listen(({ before, after }) => {
        if (before !== undefined) this.#grants?.remove(glanceAt(before));
        if (after !== undefined) this.#grants?.add(glanceAt(after));
      });
    }
  }

  stores(): readonly KindStore[] {
    return [this.roles, this.clusterRoles, this.roleBindings, this.clusterRoleBindings];
  }

  /** What a user is given everywhere, and then what they are given in the namespace ('': in none). */
  *grantsOf(user: UserInfo, namespace: string): Generator<Grant> {
    this.#grants ??= this.#gathered();
    yield* this.#grants.of(user, '');
    if (namespace !== '') yield* this.#grants.of(user, namespace);
  }

  /** A Role is looked for in the namespace of the binding. */
  rulesOf({ role, namespace }: Pick<Grant, 'role' | 'namespace'>): GrantedRules {
    const isCluster = role.kind === clusterRoleKind.kind;
    const roles = isCluster ? this.clusterRoles : this.roles;
    const home = isCluster ? '' : namespace;
    const key = keyOf(roles, home, role.name);
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const found = sharedObject(roles, home, role.name);
    if (found === undefined) return { kind: roles.resource, name: role.name };
    const rules = rulesOf(found);
    this.#rules.set(key, rules);
    return rules;
  }

  #gathered(): Grants {
    const grants = new Grants();
    for (const bindings of [this.clusterRoleBindings, this.roleBindings]) {
      for (const binding of sharedObjects(bindings)) grants.add(binding);
    }
    return grants;
  }

  #forget(roles: KindStore, { before, after }: KindChange): void {
    const changed = after ?? before;
    if (changed === undefined || this.#rules.size === 0) return;
    const { namespace = '', name = '' } = glanceAt(changed).metadata;
    this.#rules.delete(keyOf(roles, namespace, name));
  }
}

/** No name and no namespace has a slash. */
function keyOf(roles: KindStore, namespace: string, name: string): string {
  return `${roles.resource.kind}/${namespace}/${name}`;
}
