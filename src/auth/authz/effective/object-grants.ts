import type { ReviewState } from '../access-state.ts';
import type { ResourceAttributes } from '../attributes.ts';
import { callerOf } from '../caller.ts';
import { decide } from '../decide.ts';
import type { GuardedKind } from '../guarded-kinds.ts';
import { fieldWildcard } from '../permission-table.ts';
import { checksOf } from '../rules-review.ts';
import type { AuthorizationSubject } from '../subject.ts';
import { type GrantChain, type GrantQuery, grantChains, narrowCallers } from './grant-chains.ts';

/** The target of a permission check: one object, or all objects of a kind in a namespace if `name` is empty. */
export interface RequestTarget {
  readonly guarded: GuardedKind;
  readonly namespace: string;
  readonly name: string;
}

/** The permissions of a subject on an object that result from one chain of grants. */
export interface ObjectGrants {
  readonly verbs: readonly string[];
  /** The subresources and fields on which at least one verb is allowed. */
  readonly subresources: readonly string[];
  readonly via: GrantChain;
}

/** Permissions of a subject on one object. */
export interface AccessGrants extends ObjectGrants {
  /** The plural name of the kind, or `*` for all kinds. */
  readonly resource: string;
  /** The namespace of the object. Empty if it is not in a project. */
  readonly namespace: string;
  /** The name of the object. Empty for permissions that do not depend on an object. */
  readonly name: string;
}

const scopeStep = 'within the scope of the access key';

/**
 * Returns the permissions of a subject on an object, grouped by the chains of grants from which they result. The
 * authorizer decides about each permission.
 */
export function grantsOn(subject: AuthorizationSubject, target: RequestTarget, state: ReviewState): ObjectGrants[] {
  const { guarded, namespace, name } = target;
  const caller = callerOf(subject.user);
  const narrow = narrowCallers(caller);
  const context: GrantQuery['context'] = {
    caller,
    state,
    namespace,
    object: name === '' ? undefined : guarded.find?.(state, namespace, name),
    project: guarded.project?.(state, namespace, name),
  };
  const found = new Map<string, { verbs: Set<string>; subresources: Set<string>; via: GrantChain }>();
  for (const { verb, subresource } of permissionsToCheck(target)) {
    const attributes = attributesOf(target, verb, subresource);
    if (!decide(subject, attributes, state).allowed) continue;
    const permission = guarded.permissionFor(subresource, verb);
    for (const chain of grantChains({ permission, context, verb, subresource, narrow })) {
      const via = subject.scopes.length === 0 ? chain : [...chain, scopeStep];
      const key = via.join('\n');
      const grants = found.get(key) ?? { verbs: new Set(), subresources: new Set(), via };
      if (subresource === '') grants.verbs.add(verb);
      else grants.subresources.add(subresource);
      found.set(key, grants);
    }
  }
  return [...found.values()].map((grants) => ({
    verbs: [...grants.verbs],
    subresources: [...grants.subresources],
    via: grants.via,
  }));
}

const verbsOfNewObjects: ReadonlySet<string> = new Set(['create', 'deletecollection']);
/** Verbs that are not separate permissions, because their results contain only what `get` allows. */
const filteredVerbs: ReadonlySet<string> = new Set(['list', 'watch']);

interface CheckedPermission {
  readonly verb: string;
  readonly subresource: string;
}

/** The permissions to check on the objects of a kind, and on the kind itself. Computed once per kind. */
const checkedPermissions = new WeakMap<GuardedKind, Record<'object' | 'kind', readonly CheckedPermission[]>>();

/** Returns the permissions that can apply to the target: to an existing object, or to a kind in a namespace. */
export function permissionsToCheck({ guarded, name }: RequestTarget): readonly CheckedPermission[] {
  const known = checkedPermissions.get(guarded) ?? splitPermissions(guarded);
  checkedPermissions.set(guarded, known);
  return name === '' ? known.kind : known.object;
}

function splitPermissions(guarded: GuardedKind): Record<'object' | 'kind', readonly CheckedPermission[]> {
  const all = [...checksOf(guarded)].flatMap(([subresource, verbs]) =>
    [...verbs].filter((verb) => !filteredVerbs.has(verb)).map((verb) => ({ verb, subresource })),
  );
  return {
    object: all.filter(({ subresource, verb }) => !isForNewObjects(subresource, verb)),
    kind: all.filter(({ subresource, verb }) => isForNewObjects(subresource, verb)),
  };
}

/** True if the permission is about objects that do not exist yet, or about all objects of a kind. */
function isForNewObjects(subresource: string, verb: string): boolean {
  if (subresource === '') return verbsOfNewObjects.has(verb);
  return verb === 'create' && (subresource === 'restricted' || fieldWildcard(subresource) !== undefined);
}

export function attributesOf(
  { guarded: { kind }, namespace, name }: RequestTarget,
  verb: string,
  subresource: string,
): ResourceAttributes {
  const { group, version, plural: resource } = kind;
  return { resourceRequest: true, verb, group, version, resource, subresource, namespace, name };
}
