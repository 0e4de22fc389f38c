import { equalJson } from '@flotilla/json';
import { isSameIdentity } from '../../../api/management/identities.ts';
import type { AccessKeySpec } from '../../../api/management/v1/access-key.ts';
import { maxDisplayNameLength } from '../../../api/management/v1/display-texts.ts';
import type { User, UserIdentity } from '../../../api/management/v1/user.ts';
import { timestamp } from '../../../api/meta.ts';
import type { ProviderIdentity } from '../../../auth/oidc/provider-identity.ts';
import type { IdentityRights } from './identity-rights.ts';

/** Maximum lengths of texts from a provider. A longer name is cut, and a longer address is ignored. */
const maxNameLength = 253;
const maxAddressLength = 2048;

/** Returns the value of `spec.identity` of a login. */
export function keyIdentity(
  identity: ProviderIdentity,
  { groups }: Pick<IdentityRights, 'groups'>,
): NonNullable<AccessKeySpec['identity']> {
  const { displayName, connector, subject, emailVerified } = identity;
  const email = addressOf(identity.email);
  return {
    userId: subject,
    username: identity.username.slice(0, maxNameLength),
    ...(displayName === undefined ? {} : { preferredUsername: displayName.slice(0, maxNameLength) }),
    ...(email === undefined ? {} : { email }),
    emailVerified,
    groups: [...groups],
    connector,
  };
}

/**
 * Returns the status entry of a user for an identity that the provider has just confirmed. `isLogin` is false for a
 * refresh. If a refresh changes nothing, the times in the entry stay the same, so no write is needed.
 */
export function userIdentity(
  identity: ProviderIdentity,
  rights: IdentityRights,
  { before, now, isLogin = true }: { before: UserIdentity | undefined; now: number; isLogin?: boolean },
): UserIdentity {
  const { connector, issuer, subject, emailVerified } = identity;
  const [email, picture] = [addressOf(identity.email), addressOf(identity.picture)];
  const time = timestamp(now);
  const isContinued = before?.state === 'Active' && before.connector === connector;
  const { groups, groupsPrefix, teams, admin, message } = rights;
  return {
    connector,
    issuer,
    subject,
    username: identity.username.slice(0, maxNameLength),
    ...(email === undefined ? {} : { email, emailVerified }),
    ...(picture === undefined ? {} : { picture }),
    groups: [...groups],
    ...(groupsPrefix === undefined ? {} : { groupsPrefix }),
    teams: [...teams],
    ...(admin ? { admin } : {}),
    state: 'Active',
    activeSince: (isContinued ? before.activeSince : undefined) ?? time,
    lastLogin: isLogin ? time : (before?.lastLogin ?? time),
    lastRefresh: time,
    ...(message === undefined ? {} : { message }),
  };
}

/**
 * True if a refresh changed nothing but the time of the refresh. `groups` are the stored groups, which the status does
 * not show.
 */
export function isUnchanged(before: UserIdentity | undefined, next: UserIdentity, groups: readonly string[]): boolean {
  if (before === undefined) return false;
  return equalJson({ ...next, lastRefresh: before.lastRefresh ?? '' }, { ...before, groups: [...groups] });
}

/** Returns the fields of the user that describe the person. Only the first identity of a user sets them. */
export function profileOf(
  { spec }: Pick<User, 'spec'>,
  identity: ProviderIdentity,
): { readonly displayName?: string; readonly email?: string } {
  const [first] = spec?.identities ?? [];
  if (first !== undefined && !isSameIdentity(first, identity)) return {};
  const { displayName } = identity;
  const email = addressOf(identity.email);
  return {
    ...(displayName === undefined || displayName === ''
      ? {}
      : { displayName: displayName.slice(0, maxDisplayNameLength) }),
    ...(email === undefined ? {} : { email }),
  };
}

function addressOf(text: string | undefined): string | undefined {
  return text === undefined || text === '' || text.length > maxAddressLength ? undefined : text;
}
