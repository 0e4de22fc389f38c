/** Member of a user's hidden part: the sealed password hash. `passwordPurpose` is the purpose of the seal. */
export const hiddenPassword = 'password';
export const passwordPurpose = 'user-password';
/** Member of a user's hidden part: the groups that identity providers report, by `identityClaim`. */
export const hiddenProviderGroups = 'providerGroups';
