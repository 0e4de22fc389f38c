/** Member of the hidden part of an access key: the keyed hash of its value. */
export const hiddenKeyHash = 'keyHash';
/** Member of the hidden part: the name and UID of the access key that created this key. */
export const hiddenCreatorKey = 'madeWith';
/**
 * Member of the hidden part of a login that was opened with an access key: the fingerprint of that key at that time.
 */
export const hiddenCreatorFingerprint = 'makerMark';
/**
 * Member of the hidden part of a login that was opened with or beside another login: the time at which the user proved who they
 * are, in RFC 3339 format. Absent if that is the creation of the login.
 */
export const hiddenOpenedAt = 'openedAt';
/**
 * Member of the hidden part of a login that was renewed: the hash of its first value (`first`), and of the value that the last
 * renewal gave it (`current`).
 */
export const hiddenRenewal = 'renewal';
export const hiddenInheritedScopes = 'inheritedScopes';
/** Member of the hidden part: the UID of the user or team that owns the key. */
export const hiddenOwnerUid = 'ownerUid';
/** Member of the hidden part: the groups that were granted to the key itself and not through its owner. */
export const hiddenGrantedGroups = 'givenGroups';
/**
 * Member of the hidden part: the granted groups that the key has only while a certain user has them. Each entry contains the
 * name and the UID of that user.
 */
export const hiddenFollowedGroups = 'followedGroups';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';
/**
 * Member of the hidden part of a team's key: its keeper, the member on whom it depends. The keeper is the creator, or the
 * member who last enabled the key or replaced its value. Absent if an admin who is not a member did that.
 */
export const hiddenKeeper = 'keeper';
