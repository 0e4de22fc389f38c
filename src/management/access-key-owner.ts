import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { textAt, textsAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { type Caller, callerOf } from './caller.ts';

/** Whom a key can be for; at most one of them. */
export const ownerMembers = ['user', 'team', 'subject'] as const;

/** Nobody named: the caller. Later writes that name nobody keep whom it is for. */
export function fillAccessKeyOwner(draft: Draft, spec: JsonObject, context: RequestContext): void {
  if (ownerMembers.some((member) => textAt(spec, member) !== '')) return;
  for (const member of ownerMembers) delete spec[member];
  if (draft.old !== undefined) {
    for (const member of ownerMembers) {
      const kept = textAt(draft.old.object, 'spec', member);
      if (kept !== '') spec[member] = kept;
    }
  } else if (!context.system) {
    const caller = callerOf(context.user);
    if (caller.user !== undefined) spec.user = caller.user;
    else if (caller.team !== undefined) spec.team = caller.team;
    else spec.subject = caller.subject;
  }
}

/** For whom, and with which groups, a caller may make a key: 403 for everything beyond their own. */
export function checkAccessKeyOwner(draft: Draft, context: RequestContext): void {
  const caller = callerOf(context.user);
  if (context.system || caller.isAdmin) return;
  const name = draft.object.metadata.name ?? '';
  const refuse = (detail: string) => forbidden(groupResourceOf(accessKeyKind), name, detail);
  // Another owner than the one that is set is nobody's right; validation says so.
  if (draft.old === undefined) {
    const text = ownerRefusal(draft, caller);
    if (text !== undefined) throw refuse(text);
  }
  const kept = textsAt(draft.old?.object, 'spec', 'groups');
  const beyond = textsAt(draft.object, 'spec', 'groups').filter(
    (group) => !context.user.groups.includes(group) && !kept.includes(group),
  );
  if (beyond.length > 0) throw refuse(`only admins may give a key groups that are not their own: ${beyond.join(', ')}`);
}

function ownerRefusal({ object }: Draft, caller: Caller): string | undefined {
  const user = textAt(object, 'spec', 'user');
  const team = textAt(object, 'spec', 'team');
  const subject = textAt(object, 'spec', 'subject');
  if (user !== '' && user !== caller.user) return 'only admins may make keys for other users';
  if (team !== '' && !caller.teams.includes(team)) return 'only admins may make keys for teams that they are not in';
  const isSelf = caller.user === undefined && caller.team === undefined && subject === caller.subject;
  return subject !== '' && !isSelf ? 'only admins may make keys for a subject' : undefined;
}
