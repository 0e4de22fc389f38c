import { accessKeyKind } from '../api/management/v1/access-key.ts';
import type { KubeObject } from '../api/meta.ts';
import { clusterOfAgent } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { type Caller, callerOf } from '../auth/authz/caller.ts';
import { objectAt, textAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { groupsRefusal } from './access-key-groups.ts';
import { hiddenMadeWith, hiddenOwnerUid } from './access-key-hidden.ts';
import type { ManagementState } from './state.ts';

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

/** For whom, and with which groups, a caller may write a key: 403 for everything beyond their own. */
export function checkAccessKeyOwner(
  draft: Draft,
  context: RequestContext,
  state: Owners & Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>,
): void {
  const caller = callerOf(context.user);
  if (context.system || caller.isAdmin) return;
  // Another owner than the one that is set is nobody's right; validation says so.
  const owner = draft.old === undefined ? ownerRefusal(draft, caller) : undefined;
  const detail = owner ?? groupsRefusal(draft, context, state);
  if (detail !== undefined) throw forbidden(groupResourceOf(accessKeyKind), draft.object.metadata.name ?? '', detail);
}

/** Those whom creates are counted for: keys of one owner are made one after the other. */
export function accessKeyLane(sent: KubeObject, context: RequestContext): string {
  const caller = callerOf(context.user);
  const named = ownerMembers.find((member) => textAt(sent, 'spec', member) !== '');
  if (named !== undefined) return `${named} ${textAt(sent, 'spec', named)}`;
  if (caller.user !== undefined) return `user ${caller.user}`;
  return caller.team === undefined ? `subject ${caller.subject}` : `team ${caller.team}`;
}

type Owners = Pick<ManagementState, 'user' | 'team' | 'cluster'>;

/** Whoever is deleted and made again under the same name is somebody else, and has none of the old keys. */
export function bindToOwner(draft: Draft, state: Owners): void {
  const uid = keyOwner(draft.object, state)?.metadata.uid;
  if (uid !== undefined) draft.hidden[hiddenOwnerUid] = uid;
}

/** Whether the key is for the one who has that name now. */
export function isOfItsOwner(key: KubeObject, state: Owners & Pick<ManagementState, 'accessKeyHidden'>): boolean {
  const uid = textAt(state.accessKeyHidden(key.metadata.name ?? ''), hiddenOwnerUid);
  return uid === '' || uid === keyOwner(key, state)?.metadata.uid;
}

/** Whether the very key that it was made with is still there, where it was made with one that it does not outlive. */
export function hasItsMaker(key: KubeObject, state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>): boolean {
  const maker = objectAt(state.accessKeyHidden(key.metadata.name ?? ''), hiddenMadeWith);
  return maker === undefined || state.accessKey(textAt(maker, 'name'))?.metadata.uid === textAt(maker, 'uid');
}

/**
 * The user or team that a key is for, or the cluster whose agent it is for; undefined for keys of another subject, and
 * where there is none of that name.
 */
export function keyOwner(key: KubeObject, state: Owners): KubeObject | undefined {
  const user = textAt(key, 'spec', 'user');
  if (user !== '') return state.user(user);
  const team = textAt(key, 'spec', 'team');
  if (team !== '') return state.team(team);
  const cluster = clusterOfAgent(textAt(key, 'spec', 'subject'));
  return cluster === undefined ? undefined : state.cluster(cluster);
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
