/** The scopes that apps can request. Other scopes are ignored. */
export const supportedScopes = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const;

/** Returns the supported scopes of a `scope` parameter, each once. */
export function grantedScopes(scope: string): string[] {
  const wanted = new Set(scope.split(' '));
  return supportedScopes.filter((supported) => wanted.has(supported));
}
