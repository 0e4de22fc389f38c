import { equalJson } from '@flotilla/json';
import { activeIdentities, linkedIdentities } from '../../api/management/identities.ts';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { IdentityLink, User, UserIdentity } from '../../api/management/v1/user.ts';
import { adminsGroup } from '../../api/naming.ts';
import type { UserDraft } from '../drafts.ts';
import { identityClaim } from './identity-links.ts';
import { hiddenPassword, hiddenProviderGroups, type UserHidden } from './user-hidden.ts';

/** Returns the groups that the user has at identity providers, with the prefixes of the connectors. */
function providerGroups(user: User, hidden: UserHidden | undefined): readonly string[] {
  return activeIdentities(user).flatMap((identity) => {
    const { groupsPrefix = '' } = identity;
    const groups = storedGroups(hidden, identity);
    return groupsPrefix === '' ? groups : groups.map((group) => `${groupsPrefix}${group}`);
  });
}

/** Returns the groups of one identity from the hidden part of its user, with their names at the provider. */
export function storedGroups(hidden: UserHidden | undefined, link: IdentityLink): readonly string[] {
  return hidden?.[hiddenProviderGroups]?.[identityClaim(link)] ?? [];
}

/**
 * Returns all groups that the user has because of groups at identity providers. These can include the group of
 * administrators.
 */
export function groupsFromProviders(user: User, hidden: UserHidden | undefined): readonly string[] {
  const groups = providerGroups(user, hidden);
  return activeIdentities(user).some(({ admin }) => admin === true) ? [...groups, adminsGroup] : groups;
}

/** The part of the management state that determines whether a user can log in with a password. */
interface PasswordState {
  userHidden(name: string): UserHidden | undefined;
  readonly passwordsEnabled: boolean;
}

/**
 * True if an identity provider reports that the person has left and nothing else shows that the user is still active:
 * the user has no other active identity, and no password that can be used to log in. The access keys of such a user are
 * invalid.
 */
export function isGone(user: User, passwords: PasswordState): boolean {
  if (user.status?.identities === undefined) return false;
  const identities = linkedIdentities(user);
  if (!identities.some(({ state }) => state === 'Gone')) return false;
  if (identities.some(({ state }) => state === 'Active')) return false;
  const { [hiddenPassword]: password = '' } = passwords.userHidden(user.metadata.name ?? '') ?? {};
  return !passwords.passwordsEnabled || password === '';
}

/**
 * True if the key is a login with a provider identity that has ended since the login, or that is no longer linked with
 * the user.
 */
export function isEndedIdentityLogin({ metadata, spec }: AccessKey, user: User | undefined): boolean {
  const { connector, userId } = spec?.identity ?? {};
  if (connector === undefined || spec?.type !== 'Login') return false;
  const identity = user && activeIdentities(user).find((one) => one.connector === connector && one.subject === userId);
  if (identity === undefined) return true;
  // A new sign-in with an identity that had ended must not make older logins valid again.
  return Date.parse(metadata.creationTimestamp ?? '') < Date.parse(identity.activeSince ?? '');
}

/** True if two versions of a user have the same identities, which then give the same permissions. */
export function hasSameIdentities(before: User | undefined, after: User | undefined): boolean {
  return equalJson(before?.status?.identities, after?.status?.identities);
}

/**
 * Moves the groups of the identities in a status write to the hidden part, because colleagues can read the status. If
 * the write contains an identity without groups, the stored groups of this identity are kept.
 */
export function hideProviderGroups(draft: UserDraft): void {
  const { object, hidden, old } = draft;
  const identities = object.status?.identities;
  if (identities === undefined) {
    delete hidden[hiddenProviderGroups];
    return;
  }
  const kept: Record<string, string[]> = {};
  const shown: UserIdentity[] = [];
  for (const { groups, ...identity } of identities) {
    const claim = identityClaim(identity);
    const known = groups ?? storedGroups(old?.hidden, identity);
    if (known.length > 0) kept[claim] = [...known];
    shown.push(identity);
  }
  object.status = { ...object.status, identities: shown };
  if (Object.keys(kept).length === 0) delete hidden[hiddenProviderGroups];
  else hidden[hiddenProviderGroups] = kept;
}
