import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { User } from '../../api/management/v1/user.ts';

/** The claims about a user in ID tokens and in the response of the userinfo endpoint. */
export interface UserClaims {
  /** The UID of the user. It differs for a later user with the same name, so apps treat that user as another person. */
  readonly sub: string;
  readonly name?: string;
  readonly preferred_username?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

/** A user and the login in which the user signed in to an app. */
export interface SignedInUser {
  readonly user: User;
  readonly login: AccessKey;
  readonly teams: readonly string[];
}

/**
 * Returns the claims that the scopes permit. The groups are the current teams of the user. Groups at an identity
 * provider are not included, because their names could equal the names of teams. The email address counts as verified
 * only if the provider of the login reports it as verified, because users can change the address of their own user
 * object.
 */
export function userClaims({ user, login, teams }: SignedInUser, scopes: readonly string[]): UserClaims {
  const { metadata, spec = {} } = user;
  const { email = '' } = spec;
  const { identity } = login.spec ?? {};
  const isVerified = identity?.emailVerified === true && identity.email === email;
  return {
    sub: metadata.uid ?? '',
    ...(scopes.includes('profile')
      ? { name: spec.displayName || metadata.name || '', preferred_username: spec.username || metadata.name || '' }
      : {}),
    ...(scopes.includes('email') && email !== '' ? { email, email_verified: isVerified } : {}),
    ...(scopes.includes('groups') ? { groups: [...teams] } : {}),
  };
}
