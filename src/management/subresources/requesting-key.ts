import type { Scope } from '../../api/management/v1/scope.ts';
import { kubernetesAuthenticatedGroup, systemPrefix } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { isUsableKey, type KeyState } from '../../auth/key-state.ts';
import type { RequestContext } from '../../registry/context.ts';
import { keyStateOf, scopesOf } from '../access-keys/access-key-state.ts';
import type { ManagementState } from '../state.ts';

/** The access key with which a caller requests a token. The token has the scopes of the key and does not outlive it. */
export type RequestingKey = KeyState & { readonly user: UserInfo };

/**
 * Returns the access key of the request. Throws the error that `refusal` creates if the caller may not have a token.
 */
export function requireRequestingKey(
  context: RequestContext,
  state: ManagementState,
  now: number,
  refusal: (detail: string) => Error,
): RequestingKey {
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  // The current request is a use of the key, even if the status of the key does not contain this use yet.
  const found =
    key === undefined ? undefined : keyStateOf(key, state, (name) => (name === key.metadata.name ? now : undefined));
  if (!isUsableKey(found, now)) throw refusal('a token can be requested only with a valid access key');
  if (!isSameIdentity(context.user, found.user))
    throw refusal('a token can be requested only for the identity of the access key');
  return found;
}

/** Returns the scopes of the access key of the request. */
export function requestingKeyScopes(context: RequestContext, state: ManagementState): readonly Scope[] {
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  return key === undefined ? [] : scopesOf(key, state);
}

/**
 * Returns the expiry of a token in seconds since the epoch. Adds a warning if the access key expires before the
 * requested expiry of the token.
 */
export function tokenExpiry(
  context: RequestContext,
  { expiresAt }: RequestingKey,
  issuedAt: number,
  seconds: number,
): number {
  const requested = issuedAt + seconds;
  const keyExpiry = expiresAt === undefined ? requested : Math.floor(expiresAt / 1000);
  if (keyExpiry < requested) {
    context.warn(
      `the token expires in ${Math.max(0, keyExpiry - issuedAt)} seconds: it does not outlive its access key`,
    );
  }
  return Math.min(requested, keyExpiry);
}

/** Returns the groups for a token: all groups of the user except `system:` groups other than system:authenticated. */
export function tokenGroups({ groups }: UserInfo): string[] {
  return groups.filter((group) => group === kubernetesAuthenticatedGroup || !group.startsWith(systemPrefix));
}

/**
 * True if the caller has the identity of the access key. False if the caller impersonates another user. Such a caller
 * gets no token, because agents could not check the impersonation.
 */
function isSameIdentity(caller: UserInfo, key: UserInfo): boolean {
  return caller.name === key.name && caller.groups.every((group) => key.groups.includes(group));
}
