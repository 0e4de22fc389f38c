import type { ResourceKind } from '../api/resource.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { callerOf } from './caller.ts';
import { changedFields, displayFields, namedInAccess } from './object-rights.ts';

/**
 * Clusters, templates, users and teams are written by admins and by those whom the object's `access` names; whoever
 * else got as far as here owns the object, and an owner changes what is for display.
 */
export function checkDisplayOnly(kind: ResourceKind, draft: Draft, context: RequestContext): void {
  const caller = callerOf(context.user);
  if (context.system || caller.isAdmin || draft.old === undefined) return;
  if (namedInAccess(caller, draft.old.object, 'update')) return;
  const beyond = changedFields(draft).filter((field) => !displayFields.has(field));
  if (beyond.length === 0) return;
  const name = draft.object.metadata.name ?? '';
  throw forbidden(
    groupResourceOf(kind),
    name,
    `you may not change ${beyond.map((field) => `spec.${field}`).join(', ')}`,
  );
}

/** Fields that admins alone may set, whoever else may write the object. */
export function checkAdminsOnly(
  kind: ResourceKind,
  draft: Draft,
  context: RequestContext,
  fields: readonly string[],
): void {
  if (context.system || callerOf(context.user).isAdmin) return;
  const set = changedFields(draft).filter((field) => fields.includes(field));
  if (set.length === 0) return;
  const name = draft.object.metadata.name ?? '';
  throw forbidden(groupResourceOf(kind), name, `only admins may set ${set.map((field) => `spec.${field}`).join(', ')}`);
}
