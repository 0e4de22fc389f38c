/** Members of an access key's hidden part. */
export const hiddenKeyHash = 'keyHash';
/** The name and UID of the access key that created this one. */
export const hiddenCreatorKey = 'madeWith';
/** Set on logins that were opened with an access key: the fingerprint of that key when the login was opened. */
export const hiddenCreatorFingerprint = 'makerMark';
export const hiddenInheritedScopes = 'inheritedScopes';
/** The UID of the user or team that owns the key. */
export const hiddenOwnerUid = 'ownerUid';
/** The groups that were granted to the key itself, in addition to the groups of its owner. */
export const hiddenGrantedGroups = 'givenGroups';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';
