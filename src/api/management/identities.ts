import type { IdentityLink, User, UserIdentity } from './v1/user.ts';

/** True if both are the same person at the same identity provider. */
export function isSameIdentity(one: IdentityLink, other: IdentityLink): boolean {
  return one.issuer === other.issuer && one.subject === other.subject;
}

/** Returns the identities in the status that are still linked with the user. */
export function linkedIdentities({ spec, status }: Pick<User, 'spec' | 'status'>): readonly UserIdentity[] {
  const identities = status?.identities;
  if (identities === undefined) return none;
  const links = spec?.identities ?? [];
  return identities.filter((identity) => links.some((link) => isSameIdentity(link, identity)));
}

/** Returns the identities of the user that are linked and active. Only these give permissions. */
export function activeIdentities(user: Pick<User, 'spec' | 'status'>): readonly UserIdentity[] {
  // Return early, because every authentication calls this function and most users have no identities.
  if (user.status?.identities === undefined) return none;
  return linkedIdentities(user).filter(({ state }) => state === 'Active');
}

/** Returns the teams that the user is a member of through groups at an identity provider. Some may not exist. */
export function providerTeams(user: Pick<User, 'spec' | 'status'> | undefined): readonly string[] {
  return user === undefined ? [] : activeIdentities(user).flatMap(({ teams = [] }) => teams);
}

const none: readonly UserIdentity[] = [];
