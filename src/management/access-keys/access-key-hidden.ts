/** Members of an access key's hidden part. */
export const hiddenKeyHash = 'keyHash';
/** The key that created it: name and UID. */
export const hiddenCreatorKey = 'madeWith';
/** On logins that were opened with a key: the fingerprint of that key at the time. */
export const hiddenCreatorFingerprint = 'makerMark';
export const hiddenInheritedScopes = 'inheritedScopes';
/** The UID of the user or team that owns the key. */
export const hiddenOwnerUid = 'ownerUid';
/** Those of its groups that were granted to the key and do not follow its owner. */
export const hiddenGrantedGroups = 'givenGroups';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';
