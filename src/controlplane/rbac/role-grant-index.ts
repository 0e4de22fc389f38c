import { serviceAccountUser } from '../../api/core/service-account.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type RoleRef, roleRefOf, type Subject, subjectsOf } from '../../api/rbac/binding.ts';
import type { UserInfo } from '../../api/user-info.ts';

/** The content of a RoleBinding or ClusterRoleBinding. The namespace of a ClusterRoleBinding is empty. */
export interface RoleGrant {
  readonly name: string;
  readonly namespace: string;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
}

/** The role bindings of a plane, indexed by subject, so that a decision reads only the bindings of the caller. */
export class RoleGrantIndex {
  /** The bindings by namespace, by subject key, and then by name. */
  readonly #bySubject = new Map<string, Map<string, Map<string, RoleGrant>>>();

  add(binding: KubeObject): void {
    const grant = grantOf(binding);
    for (const key of grantKeys(grant)) this.#grantsOf(grant.namespace, key).set(grant.name, grant);
  }

  remove(binding: KubeObject): void {
    const { namespace, name = '' } = binding.metadata;
    const grantsByKey = this.#bySubject.get(namespace ?? '');
    if (grantsByKey === undefined) return;
    for (const key of grantKeys(grantOf(binding))) {
      const grants = grantsByKey.get(key);
      grants?.delete(name);
      if (grants?.size === 0) grantsByKey.delete(key);
    }
    if (grantsByKey.size === 0) this.#bySubject.delete(namespace ?? '');
  }

  /** Returns the bindings in a namespace that name the user or one of the user's groups, without duplicates. */
  *forUser(user: UserInfo, namespace: string): Generator<RoleGrant> {
    const grantsByKey = this.#bySubject.get(namespace);
    if (grantsByKey === undefined) return;
    const seen = new Set<RoleGrant>();
    for (const key of subjectKeys(user)) {
      for (const grant of grantsByKey.get(key)?.values() ?? []) {
        if (seen.has(grant)) continue;
        seen.add(grant);
        yield grant;
      }
    }
  }

  #grantsOf(namespace: string, key: string): Map<string, RoleGrant> {
    const grantsByKey = this.#bySubject.get(namespace) ?? new Map<string, Map<string, RoleGrant>>();
    this.#bySubject.set(namespace, grantsByKey);
    const grants = grantsByKey.get(key) ?? new Map<string, RoleGrant>();
    grantsByKey.set(key, grants);
    return grants;
  }
}

/**
 * Returns the first subject of the binding that matches the user. The reason of an authorization decision names this
 * subject.
 */
export function matchingSubject({ subjects, namespace }: RoleGrant, user: UserInfo): Subject | undefined {
  const keys = new Set(subjectKeys(user));
  return subjects.find((subject) => keys.has(subjectKey(subject, namespace) ?? ''));
}

function grantOf(binding: KubeObject): RoleGrant {
  const { name = '', namespace = '' } = binding.metadata;
  return { name, namespace, role: roleRefOf(binding), subjects: subjectsOf(binding) };
}

function grantKeys({ subjects, namespace }: RoleGrant): ReadonlySet<string> {
  return new Set(subjects.map((subject) => subjectKey(subject, namespace)).filter((key) => key !== undefined));
}

/** Returns the index key of a subject. The prefix separates users from groups; a service account counts as a user. */
function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return `user ${name}`;
  if (kind === 'Group') return `group ${name}`;
  const accountNamespace = namespace === undefined || namespace === '' ? bindingNamespace : namespace;
  return kind === 'ServiceAccount' && accountNamespace !== ''
    ? `user ${serviceAccountUser(accountNamespace, name)}`
    : undefined;
}

function subjectKeys({ name, groups }: UserInfo): string[] {
  return [`user ${name}`, ...groups.map((group) => `group ${group}`)];
}
