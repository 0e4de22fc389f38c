import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { KindChange, KindStore } from '../../registry/kind-store.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import { peekWithoutManagedFields } from '../../registry/verbs.ts';
import { type RoleGrant, RoleGrantIndex } from './role-grant-index.ts';
import { findSharedRbacObject, listSharedRbacObjects } from './shared-objects.ts';

/** A role that a binding refers to, but that does not exist. */
export interface MissingRole {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** The rules that a binding grants, or the missing role that it refers to. */
export type GrantedRules = readonly PolicyRule[] | MissingRole;

export function isMissingRole(rules: GrantedRules): rules is MissingRole {
  return 'kind' in rules;
}

/**
 * The roles and bindings of one plane, indexed for authorization decisions. The index is built at its first use and
 * then updated with each change. The rules of a role are cached at their first use.
 */
export class RbacPolicy {
  readonly roles: KindStore;
  readonly clusterRoles: KindStore;
  readonly roleBindings: KindStore;
  readonly clusterRoleBindings: KindStore;
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  #grants: RoleGrantIndex | undefined;

  constructor(stores: KindStores) {
    this.roles = storeOf(stores, roleKind);
    this.clusterRoles = storeOf(stores, clusterRoleKind);
    this.roleBindings = storeOf(stores, roleBindingKind);
    this.clusterRoleBindings = storeOf(stores, clusterRoleBindingKind);
    // The listeners are not unregistered here. They are no longer called after the stores are closed.
    for (const roles of [this.roles, this.clusterRoles]) roles.listen((change) => this.#evict(roles, change));
    for (const bindings of [this.roleBindings, this.clusterRoleBindings]) {
      bindings.listen(({ before, after }) => {
        if (before !== undefined) this.#grants?.remove(peekWithoutManagedFields(before));
        if (after !== undefined) this.#grants?.add(peekWithoutManagedFields(after));
      });
    }
  }

  stores(): readonly KindStore[] {
    return [this.roles, this.clusterRoles, this.roleBindings, this.clusterRoleBindings];
  }

  /** Returns the cluster role bindings of a user, then the user's role bindings in `namespace` if it is not empty. */
  *grantsOf(user: UserInfo, namespace: string): Generator<RoleGrant> {
    this.#grants ??= this.#buildGrants();
    yield* this.#grants.forUser(user, '');
    if (namespace !== '') yield* this.#grants.forUser(user, namespace);
  }

  /** Returns the rules that a binding grants. A Role is looked up in the namespace of its binding. */
  rulesOf({ role, namespace }: Pick<RoleGrant, 'role' | 'namespace'>): GrantedRules {
    const isCluster = role.kind === clusterRoleKind.kind;
    const roles = isCluster ? this.clusterRoles : this.roles;
    const roleNamespace = isCluster ? '' : namespace;
    const key = keyOf(roles, roleNamespace, role.name);
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const found = findSharedRbacObject(roles, roleNamespace, role.name);
    if (found === undefined) return { kind: roles.resource, name: role.name };
    const rules = rulesOf(found);
    this.#rules.set(key, rules);
    return rules;
  }

  #buildGrants(): RoleGrantIndex {
    const grants = new RoleGrantIndex();
    for (const bindings of [this.clusterRoleBindings, this.roleBindings]) {
      for (const binding of listSharedRbacObjects(bindings)) grants.add(binding);
    }
    return grants;
  }

  #evict(roles: KindStore, { before, after }: KindChange): void {
    const changed = after ?? before;
    if (changed === undefined || this.#rules.size === 0) return;
    const { namespace = '', name = '' } = peekWithoutManagedFields(changed).metadata;
    this.#rules.delete(keyOf(roles, namespace, name));
  }
}

/** Returns a cache key. It is unique, because namespaces and names do not contain slashes. */
function keyOf(roles: KindStore, namespace: string, name: string): string {
  return `${roles.resource.kind}/${namespace}/${name}`;
}
