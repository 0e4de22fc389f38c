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

/** A granted group of a key, and the user on whom it depends. The key has the group only while the user has it. */
export type FollowedGroup = {
  readonly group: string;
  readonly user: string;
  /** The UID of the user, so that a later user with the same name does not count. */
  readonly uid: string;
};

/** The hidden part of an access key: data that the server keeps with the key and that no response contains. */
export type AccessKeyHidden = {
  /** The keyed hash of the value of the key. */
  [hiddenKeyHash]?: string;
  /** The name and UID of the access key that created this key. */
  [hiddenCreatorKey]?: { readonly name: string; readonly uid: string };
  /** Only of a login that was opened with an access key: the fingerprint of that key at that time. */
  [hiddenCreatorFingerprint]?: string;
  /**
   * Only of a login that was opened with or beside another login: the time at which the user proved who they are, in
   * RFC 3339 format. Absent if that is the creation of the login.
   */
  [hiddenOpenedAt]?: string;
  /** Only of a login that was renewed: the hash of its first value, and of the value that the last renewal gave it. */
  [hiddenRenewal]?: { readonly first: string; readonly current: string };
  /** The scopes of the access key that created this key. */
  [hiddenInheritedScopes]?: Scope[];
  /** The UID of the user or team that owns the key. */
  [hiddenOwnerUid]?: string;
  /** The groups that were granted to the key itself and not through its owner. */
  [hiddenGrantedGroups]?: string[];
  /**
   * The granted groups that the key has only while a certain user has them. Stored as a list and not as an object,
   * because `__proto__` can be the name of a group.
   */
  [hiddenFollowedGroups]?: FollowedGroup[];
  /** The sealed data that the connector of an identity needs for later requests. */
  [hiddenConnectorData]?: string;
  /** The sealed tokens of an identity. */
  [hiddenOidcTokens]?: string;
  /**
   * Only of a team's key: its keeper, the member on whom it depends. The keeper is the creator, or the member who last
   * enabled the key or replaced its value. Absent if an admin who is not a member last did so.
   */
  [hiddenKeeper]?: string;
  /** Only of a login: the password fingerprint of its user at the time at which the login was created. */
  [hiddenPasswordFingerprint]?: string;
};

/**
 * Casts the hidden part of a record to that of an access key. All such casts go through this function. They are safe,
 * because only the hooks of the kind and this server's own writes change the hidden part.
 */
export function accessKeyHiddenOf(hidden: JsonObject): AccessKeyHidden;
export function accessKeyHiddenOf(hidden: JsonObject | undefined): AccessKeyHidden | undefined;
export function accessKeyHiddenOf(hidden: JsonObject | undefined): AccessKeyHidden | undefined {
  return hidden as AccessKeyHidden | undefined;
}
