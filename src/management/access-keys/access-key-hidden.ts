import type { JsonObject } from '@flotilla/json';
import type { Scope } from '../../api/management/v1/scope.ts';
import { hiddenPasswordFingerprint } from '../identities/user-hidden.ts';

/*
 * The names of the members of the hidden part. Stored records contain them, so they stay the same even where the code
 * uses another word.
 */
export const hiddenKeyHash = 'keyHash';
export const hiddenCreatorKey = 'madeWith';
export const hiddenCreatorFingerprint = 'makerMark';
export const hiddenOpenedAt = 'openedAt';
export const hiddenRenewal = 'renewal';
export const hiddenInheritedScopes = 'inheritedScopes';
export const hiddenOwnerUid = 'ownerUid';
export const hiddenGrantedGroups = 'givenGroups';
export const hiddenFollowedGroups = 'followedGroups';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';
export const hiddenKeeper = 'keeper';

/**
 * A granted group of a key, and the user on whom the group depends. The key has the group only as long as the user has
 * it.
 */
export type FollowedGroup = {
  readonly group: string;
  readonly user: string;
  /**
   * The UID of the user. If the user is deleted, a new user with the same name has another UID, so the key does not get
   * the group through the new user.
   */
  readonly uid: string;
};

/** The hidden part of an access key: data that the server keeps with the key and that no response contains. */
export type AccessKeyHidden = {
  /** The keyed hash of the value of the key. */
  [hiddenKeyHash]?: string;
  /** The name and UID of the access key that created this key. */
  [hiddenCreatorKey]?: { readonly name: string; readonly uid: string };
  /** Only for a login that was opened with an access key: the fingerprint that the access key had at that time. */
  [hiddenCreatorFingerprint]?: string;
  /**
   * Only for a login that was opened with or beside another login: the time at which the user authenticated for the
   * first of these logins, in RFC 3339 format. If absent, this is the creation time of the login.
   */
  [hiddenOpenedAt]?: string;
  /**
   * Only for a login that was renewed: the hash of its first value, and the hash of the value from the last renewal.
   */
  [hiddenRenewal]?: { readonly first: string; readonly current: string };
  /** The scopes of the access key that created this key. */
  [hiddenInheritedScopes]?: Scope[];
  /** The UID of the user or team that owns the key. */
  [hiddenOwnerUid]?: string;
  /** The groups that were granted to the key itself and not through its owner. */
  [hiddenGrantedGroups]?: string[];
  /**
   * The granted groups that the key has only as long as a certain user has them. Stored as a list and not as an object,
   * because `__proto__` can be the name of a group.
   */
  [hiddenFollowedGroups]?: FollowedGroup[];
  /** The sealed data that the connector of an identity needs for later requests. */
  [hiddenConnectorData]?: string;
  /** The sealed tokens of an identity. */
  [hiddenOidcTokens]?: string;
  /**
   * Only for a team's key: its keeper, the team member on whom the key depends. The keeper is the creator, or the
   * member who last enabled the key or replaced its value. Absent if the last person who did so was an admin who is not
   * a member.
   */
  [hiddenKeeper]?: string;
  /** Only for a login: the password fingerprint of its user when the login was created. */
  [hiddenPasswordFingerprint]?: string;
};

/**
 * Casts the hidden part of a record to the hidden part of an access key. All such casts use this function. They are
 * safe, because only the hooks of the kind and this server's own writes change the hidden part.
 */
export function accessKeyHiddenOf(hidden: JsonObject): AccessKeyHidden;
export function accessKeyHiddenOf(hidden: JsonObject | undefined): AccessKeyHidden | undefined;
export function accessKeyHiddenOf(hidden: JsonObject | undefined): AccessKeyHidden | undefined {
  return hidden as AccessKeyHidden | undefined;
}
