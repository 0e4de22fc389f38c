import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { AccessState } from './access-state.ts';
import { callerOf } from './caller.ts';
import { isGrantedByAccessList } from './decide.ts';
import { guardedKind } from './guarded-kinds.ts';
import { relations } from './relations.ts';
import { scopeFilterFor } from './scope-allows.ts';
import { type AuthorizationSubject, isAdmin } from './subject.ts';

/** Decides whether an object is visible. `hidden` is the part of its record that no response contains. */
export type VisibilityFilter = (object: KubeObject, hidden?: JsonObject) => boolean;

/**
 * Returns a filter for the items of a list, watch or deletecollection. The filter keeps the objects that the caller may
 * get. `undefined` if the caller may get all objects. A watch uses the filter for a long time, so the filter always
 * reads the current state. `verb` is the verb of the request, because the rules of a scope can depend on the verb.
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
  return (object, hidden) =>
    (ofUser === undefined || ofUser(object, hidden)) && shownBy.every((isShown) => isShown(object));
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
  return (read, hidden) => {
    const object = guarded.guardedFieldsOf(read, hidden);
    const { name = '', namespace = '' } = object.metadata;
    const context = { caller, state, namespace, object, project: guarded.project?.(state, namespace, name) };
    return (
      permission.grantedTo.some((each) => relations[each].holds(context)) ||
      isGrantedByAccessList(permission, context, reading)
    );
  };
}
