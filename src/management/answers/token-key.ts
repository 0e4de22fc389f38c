import { kubernetesAuthenticatedGroup, systemPrefix } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { isUsable, type KeyState } from '../../auth/key-state.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import { keyStateOf, scopesOf } from '../access-key-state.ts';
import type { ManagementState } from '../state.ts';

/** The key that somebody asks for a token with, as what narrows and ends the token. */
export type AskingKey = KeyState & { readonly user: UserInfo };

/** Throws what `refusal` makes of the cause where the caller may have no token. */
export function askingKey(
  context: RequestContext,
  state: ManagementState,
  now: number,
  refusal: (detail: string) => Error,
): AskingKey {
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  // The key is being used at this moment, whatever its status says yet.
  const found =
    key === undefined ? undefined : keyStateOf(key, state, (name) => (name === key.metadata.name ? now : undefined));
  if (!isUsable(found, now)) throw refusal('a token is made with an access key, and lives no longer than it');
  if (!isWithin(context.user, found.user)) throw refusal('a token is for who the access key is, not for another');
  return found;
}

/** What narrows the key that is used. */
export function askingScopes(context: RequestContext, state: ManagementState): readonly JsonObject[] {
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  return key === undefined ? [] : scopesOf(key, state);
}

/** When a token ends, in seconds since the epoch; who asks for more than its key gives is told. */
export function tokenEnd(context: RequestContext, { expiresAt }: AskingKey, issuedAt: number, seconds: number): number {
  const wanted = issuedAt + seconds;
  const keysEnd = expiresAt === undefined ? wanted : Math.floor(expiresAt / 1000);
  if (keysEnd < wanted) {
    context.warn(`the token ends in ${Math.max(0, keysEnd - issuedAt)} seconds: it does not outlive its access key`);
  }
  return Math.min(wanted, keysEnd);
}

/** Without those that are Kubernetes' own. */
export function tokenGroups({ groups }: UserInfo): string[] {
  return groups.filter((group) => group === kubernetesAuthenticatedGroup || !group.startsWith(systemPrefix));
}

/** Who acts as another may do so here; a token would carry it to places where nobody can check that right. */
function isWithin(asked: UserInfo, key: UserInfo): boolean {
  return asked.name === key.name && asked.groups.every((group) => key.groups.includes(group));
}
