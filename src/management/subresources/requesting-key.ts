import type { JsonObject } from '@flotilla/json';
import { kubernetesAuthenticatedGroup, systemPrefix } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { isUsable, type KeyState } from '../../auth/key-state.ts';
import type { RequestContext } from '../../registry/context.ts';
import { keyStateOf, scopesOf } from '../access-keys/access-key-state.ts';
import type { ManagementState } from '../state.ts';

/** The key that requests a token. The token is restricted by its scopes and expires with it. */
export type RequestingKey = KeyState & { readonly user: UserInfo };

/** Throws the error that `refusal` builds if the caller may not have a token. */
export function requireRequestingKey(
  context: RequestContext,
  state: ManagementState,
  now: number,
  refusal: (detail: string) => Error,
): RequestingKey {
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  // The key is in use right now, even if its status does not show it yet.
  const found =
    key === undefined ? undefined : keyStateOf(key, state, (name) => (name === key.metadata.name ? now : undefined));
  if (!isUsable(found, now)) throw refusal('a token can be requested only with a valid access key');
  if (!isSameIdentity(context.user, found.user))
    throw refusal('a token can be requested only for the identity of the access key');
  return found;
}

/** The scopes of the key in use. */
export function requestingKeyScopes(context: RequestContext, state: ManagementState): readonly JsonObject[] {
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  return key === undefined ? [] : scopesOf(key, state);
}

/** The expiry of a token in seconds since the epoch. Warns if the key expires before the requested time. */
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

/** The groups of a token: without system groups, except system:authenticated. */
export function tokenGroups({ groups }: UserInfo): string[] {
  return groups.filter((group) => group === kubernetesAuthenticatedGroup || !group.startsWith(systemPrefix));
}

/** Impersonation is checked here; a token would carry it to locations where nothing can check that permission. */
function isSameIdentity(caller: UserInfo, key: UserInfo): boolean {
  return caller.name === key.name && caller.groups.every((group) => key.groups.includes(group));
}
