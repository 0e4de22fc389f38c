import { serviceAccountUser } from '../../api/core/service-account.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type RoleRef, roleRefOf, type Subject, subjectsOf } from '../../api/rbac/binding.ts';
import type { UserInfo } from '../../api/user-info.ts';

/** One binding: a role for some subjects, in a namespace, or in all namespaces if that is ''. */
export interface Grant {
  readonly name: string;
  readonly namespace: string;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
}

/**
 * The bindings of a plane, of both kinds, indexed by subject: a decision reads only the bindings of its caller.
 */
export class Grants {
  /** By namespace, then by subject (`subjectKey`). */
  readonly #bySubject = new Map<string, Map<string, Grant[]>>();

  add(binding: KubeObject): void {
    const grant = grantOf(binding);
    for (const key of grantKeys(grant)) this.#grantsOf(grant.namespace, key).push(grant);
  }

  remove(binding: KubeObject): void {
    const { namespace, name } = binding.metadata;
    const grantsByKey = this.#bySubject.get(namespace ?? '');
    if (grantsByKey === undefined) return;
    for (const key of grantKeys(grantOf(binding))) {
      const left = grantsByKey.get(key)?.filter((grant) => grant.name !== name) ?? [];
      if (left.length > 0) grantsByKey.set(key, left);
      else grantsByKey.delete(key);
    }
    if (grantsByKey.size === 0) this.#bySubject.delete(namespace ?? '');
  }

  /** Each binding in that namespace that names the user or one of their groups, without duplicates. */
  *forUser(user: UserInfo, namespace: string): Generator<Grant> {
    const grantsByKey = this.#bySubject.get(namespace);
    if (grantsByKey === undefined) return;
    const seen = new Set<Grant>();
    for (const key of subjectKeys(user)) {
      for (const grant of grantsByKey.get(key) ?? []) {
        if (seen.has(grant)) continue;
        seen.add(grant);
        yield grant;
      }
    }
  }

  #grantsOf(namespace: string, key: string): Grant[] {
    const grantsByKey = this.#bySubject.get(namespace) ?? new Map<string, Grant[]>();
    this.#bySubject.set(namespace, grantsByKey);
    const grants = grantsByKey.get(key) ?? [];
    grantsByKey.set(key, grants);
    return grants;
  }
}

/** The subject that the decision reports as its reason: the first one that matches the user. */
export function matchingSubject({ subjects, namespace }: Grant, user: UserInfo): Subject | undefined {
  const keys = new Set(subjectKeys(user));
  return subjects.find((subject) => keys.has(subjectKey(subject, namespace) ?? ''));
}

function grantOf(binding: KubeObject): Grant {
  const { name = '', namespace = '' } = binding.metadata;
  return { name, namespace, role: roleRefOf(binding), subjects: subjectsOf(binding) };
}

function grantKeys({ subjects, namespace }: Grant): ReadonlySet<string> {
  return new Set(subjects.map((subject) => subjectKey(subject, namespace)).filter((key) => key !== undefined));
}

/** The index key of a subject. Users and groups may share a name; a service account is a user with a distinct name. */
function subjectKey({ kind, name, namespace }: Subject, ofBinding: string): string | undefined {
  if (kind === 'User') return `user ${name}`;
  if (kind === 'Group') return `group ${name}`;
  const accountNamespace = namespace === undefined || namespace === '' ? ofBinding : namespace;
  return kind === 'ServiceAccount' && accountNamespace !== ''
    ? `user ${serviceAccountUser(accountNamespace, name)}`
    : undefined;
}

function subjectKeys({ name, groups }: UserInfo): string[] {
  return [`user ${name}`, ...groups.map((group) => `group ${group}`)];
}
