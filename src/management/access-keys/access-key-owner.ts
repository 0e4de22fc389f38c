import { type AccessKey, type AccessKeySpec, accessKeyKind } from '../../api/management/v1/access-key.ts';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { Team } from '../../api/management/v1/team.ts';
import type { User } from '../../api/management/v1/user.ts';
import { clusterOfAgentUser } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import { type Caller, callerOf } from '../../auth/authz/caller.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import type { ManagementState } from '../state.ts';
import { groupsDenialReason } from './access-key-groups.ts';
import { hiddenCreatorKey, hiddenOwnerUid } from './access-key-hidden.ts';
import { keyOwnerFields, ownerMemberOf } from './access-key-index.ts';
import { currentCaller } from './current-caller.ts';

/**
 * Sets the owner of a new key to the caller if the request names no owner. An update without an owner keeps the stored
 * owner.
 */
export function defaultAccessKeyOwner(draft: AccessKeyDraft, spec: AccessKeySpec, context: RequestContext): void {
  if (ownerMemberOf({ spec }) !== undefined) return;
  for (const member of keyOwnerFields) delete spec[member];
  if (draft.old !== undefined) {
    for (const member of keyOwnerFields) {
      const stored = draft.old.object.spec?.[member] ?? '';
      if (stored !== '') spec[member] = stored;
    }
  } else if (!context.system) {
    const caller = callerOf(context.user);
    if (caller.user !== undefined) spec.user = caller.user;
    else if (caller.team !== undefined) spec.team = caller.team;
    else spec.subject = caller.subject;
  }
}

/**
 * Throws 403 if the caller gives a key an owner or groups that the caller may not assign, or changes a key that no longer
 * belongs to the caller.
 */
export function checkAccessKeyOwner(
  draft: AccessKeyDraft,
  context: RequestContext,
  state: Owners &
    Pick<ManagementState, 'accessKey' | 'accessKeyHidden' | 'userHidden' | 'passwordsEnabled' | 'teamsOf'>,
): void {
  if (context.system) return;
  const user = currentCaller(context, state);
  const caller = callerOf(user);
  if (caller.isAdmin) return;
  const owner = ownerRefusal(draft, caller);
  const detail = owner ?? groupsDenialReason(draft, contextWithChanges(context, { user }), state);
  if (detail !== undefined) throw forbidden(groupResourceOf(accessKeyKind), draft.object.metadata.name ?? '', detail);
}

/**
 * Returns the name of the lock that serializes creates of access keys. All creates for one owner use one lock, so that
 * the access keys of the owner are counted correctly.
 */
export function accessKeySerializationKey(sent: AccessKey, context: RequestContext): string {
  const caller = callerOf(context.user);
  const named = ownerMemberOf(sent);
  if (named !== undefined) return `${named} ${sent.spec?.[named] ?? ''}`;
  if (caller.user !== undefined) return `user ${caller.user}`;
  return caller.team === undefined ? `subject ${caller.subject}` : `team ${caller.team}`;
}

type Owners = Pick<ManagementState, 'user' | 'team' | 'cluster'>;

/** Records the UID of the owner, so that a new user with the same name does not get the keys of a deleted user. */
export function bindToOwner(draft: AccessKeyDraft, state: Owners): void {
  const uid = keyOwner(draft.object, state)?.metadata.uid;
  if (uid !== undefined) draft.hidden[hiddenOwnerUid] = uid;
}

/**
 * True if the user, team or cluster that now has the owner's name owns the key. False if the owner was deleted and this
 * object was created later with the same name.
 */
export function belongsToCurrentOwner(
  key: AccessKey,
  state: Owners & Pick<ManagementState, 'accessKeyHidden'>,
): boolean {
  const uid = state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenOwnerUid] ?? '';
  return uid === '' || uid === keyOwner(key, state)?.metadata.uid;
}

/** True if the creator key of this key still exists, or if this key was not created with another key. */
export function hasCreatorKey(key: AccessKey, state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>): boolean {
  const creator = state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenCreatorKey];
  return creator === undefined || state.accessKey(creator.name)?.metadata.uid === creator.uid;
}

/**
 * Returns the user or team that owns a key, or the cluster whose agent owns the key. `undefined` if the owner does not
 * exist, or if the key belongs to another kind of subject.
 */
export function keyOwner(key: AccessKey, state: Owners): User | Team | Cluster | undefined {
  const { user = '', team = '', subject = '' } = key.spec ?? {};
  if (user !== '') return state.user(user);
  if (team !== '') return state.team(team);
  const cluster = clusterOfAgentUser(subject);
  return cluster === undefined ? undefined : state.cluster(cluster);
}

function ownerRefusal({ object, old }: AccessKeyDraft, caller: Caller): string | undefined {
  // In an update, the stored owner is used, because validation rejects every change of the owner.
  const { user = '', team = '', subject = '' } = (old?.object ?? object).spec ?? {};
  const verb = old === undefined ? 'create' : 'change';
  if (user !== '' && user !== caller.user) return `only admins may ${verb} keys for other users`;
  if (team !== '' && !caller.teams.includes(team))
    return `only admins may ${verb} keys for teams that they are not a member of`;
  const isSelf = caller.user === undefined && caller.team === undefined && subject === caller.subject;
  return subject !== '' && !isSelf ? `only admins may ${verb} keys for a subject` : undefined;
}
