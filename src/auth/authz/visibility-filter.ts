import type { KubeObject } from '../../api/meta.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import type { AccessState } from './access-state.ts';
import { callerOf } from './caller.ts';
import { isGrantedByAccessList } from './decide.ts';
import { guardedKind } from './guarded-kinds.ts';
import { relations } from './relations.ts';
import { scopeFilterFor } from './scope-allows.ts';
import { type AuthorizationSubject, isAdmin } from './subject.ts';

export type VisibilityFilter = (object: KubeObject) => boolean;

/**
 * Returns a filter for the items of a list, watch or deletecollection. It keeps the objects that the caller may get.
 * `undefined` if the caller may get all of them. The filter always reads the current state, because a watch uses it for
 * a long time. `verb` is the verb of the request, because the rules of a scope can depend on it.
 */
export function visibilityFilterFor(
  subject: AuthorizationSubject,
  kind: ResourceKind,
  state: AccessState,
  verb = 'list',
): VisibilityFilter | undefined {
  if (subject.system) return undefined;
  const { scopes } = subject;
  const ofUser = isAdmin(subject.user) ? undefined : userReader(subject, kind, state);
  if (scopes.length === 0) return ofUser;
  const shownBy = scopes.map((scope) => scopeFilterFor(scope, kind, state, verb));
  return (object) => (ofUser === undefined || ofUser(object)) && shownBy.every((isShown) => isShown(object));
}

const reading = { verb: 'get', subresource: '' };

function userReader(
  subject: AuthorizationSubject,
  kind: ResourceKind,
  state: AccessState,
): VisibilityFilter | undefined {
  const guarded = guardedKind(kind.group, kind.plural);
  const permission = guarded?.permissionFor('', 'get');
  if (guarded === undefined || permission === undefined) return () => false;
  if (guarded.find === undefined) return undefined;
  const caller = callerOf(subject.user);
  return (read) => {
    const object = typedObject(guarded.kind, read);
    const { name = '', namespace = '' } = object.metadata;
    const context = { caller, state, namespace, object, project: guarded.project?.(state, namespace, name) };
    return (
      permission.grantedTo.some((each) => relations[each].holds(context)) ||
      isGrantedByAccessList(permission, context, reading)
    );
  };
}
