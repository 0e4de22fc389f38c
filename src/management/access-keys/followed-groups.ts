import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { User } from '../../api/management/v1/user.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { groupsFromProviders } from '../identities/provider-rights.ts';
import type { UserHidden } from '../identities/user-hidden.ts';
import { type AccessKeyHidden, type FollowedGroup, hiddenFollowedGroups, hiddenKeyHash } from './access-key-hidden.ts';

/** The parts of the management state that this module reads. */
interface Users {
  user(name: string): User | undefined;
  userHidden(name: string): UserHidden | undefined;
}
interface HiddenKeys {
  accessKeyHidden(name: string): AccessKeyHidden | undefined;
}

/**
 * Records on which users the granted groups of a key depend. If a user grants one of their own groups to a team's key,
 * the group depends on that user. If another user with this group later replaces the value of the key or enables the
 * key, the group depends on that other user. Otherwise a person could keep a group by granting it to a team's key. A
 * group that an admin granted depends on nobody until a member with this group replaces the value or enables the key.
 * If the access key of the request has a group only as long as a certain user has it, the group depends on that user in
 * the new key too.
 */
export function recordFollowedGroups(
  { object, old, hidden }: AccessKeyDraft,
  granted: readonly string[],
  context: RequestContext,
  state: Users & HiddenKeys,
): void {
  const stored = followedGroups(old?.hidden);
  const ofRequestKey = followedGroups(state.accessKeyHidden(context.accessKey ?? ''));
  const before = old?.object.spec?.groups ?? [];
  const isTeamKey = (object.spec?.team ?? '') !== '';
  const caller = isTeamKey && !context.system ? state.user(callerOf(context.user).user ?? '') : undefined;
  const own = caller === undefined ? [] : groupsOf(caller, state);
  const isTakenOver =
    old !== undefined &&
    (hidden[hiddenKeyHash] !== old.hidden?.[hiddenKeyHash] ||
      (old.object.spec?.disabled === true && object.spec?.disabled !== true));
  const followed = granted.flatMap((group): FollowedGroup[] => {
    const known = stored.find((one) => one.group === group);
    const isNew = !before.includes(group);
    if (!isNew && known === undefined && !isTakenOver) return [];
    if ((isNew || isTakenOver) && caller !== undefined && own.includes(group))
      return [{ group, user: caller.metadata.name ?? '', uid: caller.metadata.uid ?? '' }];
    const source = isNew ? ofRequestKey.find((one) => one.group === group) : known;
    return source === undefined ? [] : [source];
  });
  if (followed.length === 0) delete hidden[hiddenFollowedGroups];
  else hidden[hiddenFollowedGroups] = followed.map((one) => ({ ...one }));
}

/** Returns the granted groups that the key still has. A group is omitted if the user on whom it depends has lost it. */
export function withoutLostGroups(
  granted: readonly string[],
  hidden: AccessKeyHidden | undefined,
  state: Users,
): readonly string[] {
  const followed = followedGroups(hidden);
  if (followed.length === 0) return granted;
  return granted.filter((group) => followed.every((one) => one.group !== group || isHeld(one, state)));
}

/** Returns the names of the users on whom groups of a key depend. */
export function followedUsers(hidden: AccessKeyHidden | undefined): readonly string[] {
  const followed = followedGroups(hidden);
  return followed.length === 0 ? noNames : [...new Set(followed.map(({ user }) => user))];
}

const noNames: readonly string[] = [];

/** Returns the current versions of the users on whom groups of a key depend. */
export function followedUserObjects(
  key: AccessKey,
  state: Pick<Users, 'user'> & HiddenKeys,
): readonly (User | undefined)[] {
  return followedUsers(state.accessKeyHidden(key.metadata.name ?? '')).map((name) => state.user(name));
}

function isHeld({ group, user: name, uid }: FollowedGroup, state: Users): boolean {
  const user = state.user(name);
  return user !== undefined && user.metadata.uid === uid && groupsOf(user, state).includes(group);
}

/**
 * Returns the groups of a user: those that an admin assigned, and those from identity providers. A disabled user has no
 * groups.
 */
function groupsOf(user: User, state: Pick<Users, 'userHidden'>): readonly string[] {
  const { metadata, spec } = user;
  if (spec?.disabled === true || metadata.deletionTimestamp !== undefined) return [];
  return [...(spec?.groups ?? []), ...groupsFromProviders(user, state.userHidden(metadata.name ?? ''))];
}

function followedGroups(hidden: AccessKeyHidden | undefined): readonly FollowedGroup[] {
  return hidden?.[hiddenFollowedGroups] ?? noGroups;
}

const noGroups: readonly FollowedGroup[] = [];
