import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { AccessState } from './access-state.ts';
import { callerOf } from './caller.ts';
import { isGivenByAccess } from './decide.ts';
import { guardedKind } from './guarded-kinds.ts';
import { relations } from './relations.ts';
import { scopeShows } from './scope-reach.ts';
import { isAdmin, type Subject } from './subject.ts';

export type Reader = (object: KubeObject) => boolean;

/**
 * Which objects of a kind a list, a watch or a delete of a collection shows to the caller: those that they may get.
 * Undefined: all of them. The answer of a reader is that of the moment: it is kept for as long as a watch lasts.
 * `verb` is that of the request, which the rules of a scope may name.
 */
export function readerOf(subject: Subject, kind: ResourceKind, state: AccessState, verb = 'list'): Reader | undefined {
  if (subject.system) return undefined;
  const { scopes } = subject;
  const ofUser = isAdmin(subject.user) ? undefined : userReader(subject, kind, state);
  if (scopes.length === 0) return ofUser;
  return (object) =>
    (ofUser === undefined || ofUser(object)) && scopes.every((scope) => scopeShows(scope, kind, object, state, verb));
}

const reading = { verb: 'get', subresource: '' };

function userReader(subject: Subject, kind: ResourceKind, state: AccessState): Reader | undefined {
  const guarded = guardedKind(kind.group, kind.plural);
  const right = guarded?.right('', 'get');
  if (guarded === undefined || right === undefined) return () => false;
  if (guarded.find === undefined) return undefined;
  const caller = callerOf(subject.user);
  return (object) => {
    const { name = '', namespace = '' } = object.metadata;
    const standing = { caller, state, namespace, object, project: guarded.project?.(state, namespace, name) };
    return right.to.some((each) => relations[each].holds(standing)) || isGivenByAccess(right, standing, reading);
  };
}
