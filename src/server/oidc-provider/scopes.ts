/** The scopes that apps can request. Other scopes are ignored. */
export const supportedScopes = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const;

/** Returns the supported scopes in a `scope` parameter without duplicates. */
export function grantedScopes(scope: string): string[] {
  const wanted = new Set(scope.split(' '));
  return supportedScopes.filter((supported) => wanted.has(supported));
}
