/** Member of the hidden part of an access key: the keyed hash of its value. */
export const hiddenKeyHash = 'keyHash';
/** Member of the hidden part: the name and UID of the access key that created this key. */
export const hiddenCreatorKey = 'madeWith';
/**
 * Member of the hidden part of a login that was opened with an access key: the fingerprint of that key at that time.
 */
export const hiddenCreatorFingerprint = 'makerMark';
export const hiddenInheritedScopes = 'inheritedScopes';
/** Member of the hidden part: the UID of the user or team that owns the key. */
export const hiddenOwnerUid = 'ownerUid';
/** Member of the hidden part: the groups that were granted to the key itself and not through its owner. */
export const hiddenGrantedGroups = 'givenGroups';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';
