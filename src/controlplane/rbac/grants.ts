import { serviceAccountUser } from '../../api/core/service-account.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type RoleRef, roleRefOf, type Subject, subjectsOf } from '../../api/rbac/binding.ts';
import type { UserInfo } from '../../api/user-info.ts';

/** One binding: a role for some subjects, in a namespace or, where that is '', everywhere. */
export interface Grant {
  readonly name: string;
  readonly namespace: string;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
}

/**
 * The bindings of a plane, of both kinds, by whom they name: a request looks at its caller's own and at nobody else's.
 */
export class Grants {
  /** By namespace, then by subject (`whoOf`). */
  readonly #held = new Map<string, Map<string, Grant[]>>();

  add(binding: KubeObject): void {
    const grant = grantOf(binding);
    for (const who of namedBy(grant)) this.#of(grant.namespace, who).push(grant);
  }

  remove(binding: KubeObject): void {
    const { namespace, name } = binding.metadata;
    const held = this.#held.get(namespace ?? '');
    if (held === undefined) return;
    for (const who of namedBy(grantOf(binding))) {
      const left = held.get(who)?.filter((grant) => grant.name !== name) ?? [];
      if (left.length > 0) held.set(who, left);
      else held.delete(who);
    }
    if (held.size === 0) this.#held.delete(namespace ?? '');
  }

  /** Each binding in that namespace that names the user or one of their groups, once. */
  *of(user: UserInfo, namespace: string): Generator<Grant> {
    const held = this.#held.get(namespace);
    if (held === undefined) return;
    const seen = new Set<Grant>();
    for (const who of whosOf(user)) {
      for (const grant of held.get(who) ?? []) {
        if (seen.has(grant)) continue;
        seen.add(grant);
        yield grant;
      }
    }
  }

  #of(namespace: string, who: string): Grant[] {
    const held = this.#held.get(namespace) ?? new Map<string, Grant[]>();
    this.#held.set(namespace, held);
    const grants = held.get(who) ?? [];
    held.set(who, grants);
    return grants;
  }
}

/** The subject that is told as the reason: the first one that the user is. */
export function reasonIn({ subjects, namespace }: Grant, user: UserInfo): Subject | undefined {
  const whos = new Set(whosOf(user));
  return subjects.find((subject) => whos.has(whoOf(subject, namespace) ?? ''));
}

function grantOf(binding: KubeObject): Grant {
  const { name = '', namespace = '' } = binding.metadata;
  return { name, namespace, role: roleRefOf(binding), subjects: subjectsOf(binding) };
}

function namedBy({ subjects, namespace }: Grant): ReadonlySet<string> {
  return new Set(subjects.map((subject) => whoOf(subject, namespace)).filter((who) => who !== undefined));
}

/** Users and groups may have the same name; a service account is a user with a name of its own. */
function whoOf({ kind, name, namespace }: Subject, ofBinding: string): string | undefined {
  if (kind === 'User') return `user ${name}`;
  if (kind === 'Group') return `group ${name}`;
  const home = namespace === undefined || namespace === '' ? ofBinding : namespace;
  return kind === 'ServiceAccount' && home !== '' ? `user ${serviceAccountUser(home, name)}` : undefined;
}

function whosOf({ name, groups }: UserInfo): string[] {
  return [`user ${name}`, ...groups.map((group) => `group ${group}`)];
}
