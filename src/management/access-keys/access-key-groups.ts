import { equalJson } from '@flotilla/json';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { teamOfGroup, userOfGroup } from '../../api/naming.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { groupsFromProviders } from '../identities/provider-rights.ts';
import type { ManagementState } from '../state.ts';
import { type AccessKeyHidden, hiddenGrantedGroups, hiddenKeyHash } from './access-key-hidden.ts';
import { recordFollowedGroups, withoutLostGroups } from './followed-groups.ts';

/** The parts of an access key that determine its groups. */
type StoredKey = Pick<AccessKey, 'metadata' | 'spec'>;
type Owners = Pick<ManagementState, 'user' | 'userHidden' | 'team'>;
type Keys = Owners & Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>;

/**
 * Records which of the groups in `spec.groups` were granted to the access key itself. A group that the owner also has
 * is not recorded, so the key loses this group when the owner loses it. Also records on which users the granted groups
 * depend (`recordFollowedGroups`).
 */
export function recordGrantedGroups(draft: AccessKeyDraft, context: RequestContext, state: Keys): void {
  const { object, old, hidden } = draft;
  const listed = object.spec?.groups ?? [];
  const before = old?.object.spec?.groups ?? [];
  const granted = old === undefined ? [] : grantedGroups(old.object, old.hidden);
  const recorded = listed.filter(
    (group) => granted.includes(group) || (!before.includes(group) && !followsOwner(group, object, state)),
  );
  if (listed.length === 0) delete hidden[hiddenGrantedGroups];
  else hidden[hiddenGrantedGroups] = recorded;
  recordFollowedGroups(draft, recorded, context, state);
}

/**
 * Returns the key with only those groups that were granted to the key itself and that it has not lost. A key loses a
 * group when the user on whom the group depends loses the group. All other groups of the key come from its owner.
 */
export function withGrantedGroups(
  key: StoredKey,
  state: Pick<ManagementState, 'accessKeyHidden' | 'user' | 'userHidden'>,
): StoredKey {
  const listed = key.spec?.groups ?? [];
  if (listed.length === 0) return key;
  const hidden = state.accessKeyHidden(key.metadata.name ?? '');
  const granted = withoutLostGroups(grantedGroups(key, hidden), hidden, state);
  return granted.length === listed.length ? key : { ...key, spec: { ...key.spec, groups: [...granted] } };
}

/**
 * Returns the reason why a non-admin caller may not make this write because of the groups of the key; `undefined` if
 * the caller may make it. A key with groups that the caller is not in has more permissions than the caller. The caller
 * therefore may not add such groups to a key, and may not change the value, scope or expiry of a key with such groups.
 * In an update, groups that the caller has only through the access key of the request are ignored, because that access
 * key could otherwise extend its own life forever.
 */
export function groupsDenialReason(draft: AccessKeyDraft, context: RequestContext, state: Keys): string | undefined {
  const { object, old } = draft;
  // In a create, all groups of the caller count, because the new key expires together with the key that creates it.
  const held = old === undefined ? context.user.groups : heldWithoutKey(context, state);
  const storedGroups = old?.object.spec?.groups ?? [];
  const foreign = (object.spec?.groups ?? []).filter((group) => !held.includes(group) && !storedGroups.includes(group));
  if (foreign.length > 0) return `only admins may give a key groups that the caller is not in: ${foreign.join(', ')}`;
  if (old === undefined || grantedGroups(old.object, old.hidden).every((group) => held.includes(group)))
    return undefined;
  return changesReach(draft, old.object)
    ? 'only admins may change the value, scope or expiry of a key with groups that the caller is not in'
    : undefined;
}

function changesReach({ object, hidden, old }: AccessKeyDraft, before: AccessKey): boolean {
  const differs = (member: 'scope' | 'ttl' | 'ttlAfterLastActivity') =>
    !equalJson(object.spec?.[member] ?? null, before.spec?.[member] ?? null);
  return (
    !equalJson(hidden[hiddenKeyHash], old?.hidden?.[hiddenKeyHash]) ||
    (['scope', 'ttl', 'ttlAfterLastActivity'] as const).some(differs) ||
    (before.spec?.disabled === true && object.spec?.disabled !== true)
  );
}

function heldWithoutKey(context: RequestContext, state: Keys): readonly string[] {
  const used = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  if (used === undefined) return context.user.groups;
  const granted = grantedGroups(used, state.accessKeyHidden(context.accessKey ?? ''));
  return context.user.groups.filter((group) => !granted.includes(group) || followsOwner(group, used, state));
}

/**
 * Returns the groups that were granted to the key itself. For older keys, which have no record of granted groups,
 * returns all groups in `spec.groups`.
 */
function grantedGroups(key: StoredKey, hidden: AccessKeyHidden | undefined): readonly string[] {
  return hidden?.[hiddenGrantedGroups] ?? key.spec?.groups ?? [];
}

/**
 * True if the key gets the group from its owner. False if the owner is neither a user nor a team, because such an owner
 * has no groups.
 */
function followsOwner(group: string, key: AccessKey, state: Owners): boolean {
  const { user = '', team = '' } = key.spec ?? {};
  if (user === '' && team === '') return false;
  if (userOfGroup(group) !== undefined || teamOfGroup(group) !== undefined) return true;
  if (user === '') return (state.team(team)?.spec?.groups ?? []).includes(group);
  const owner = state.user(user);
  if (owner === undefined) return false;
  return (
    (owner.spec?.groups ?? []).includes(group) || groupsFromProviders(owner, state.userHidden(user)).includes(group)
  );
}
