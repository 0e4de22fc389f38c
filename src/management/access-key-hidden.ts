/** Members of an access key's hidden part. */
export const hiddenKeyHash = 'keyHash';
/** The key that it was made with: name and uid. */
export const hiddenMadeWith = 'madeWith';
/** Of a login that was opened with a key: what that key was like then. */
export const hiddenMakerMark = 'makerMark';
export const hiddenInheritedScopes = 'inheritedScopes';
/** Of the user or team that it is for. */
export const hiddenOwnerUid = 'ownerUid';
/** Of the groups that it lists, those that do not follow from whom it is for. */
export const hiddenGivenGroups = 'givenGroups';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';
