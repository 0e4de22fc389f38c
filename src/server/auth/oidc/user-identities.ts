import { equalJson } from '@flotilla/json';
import { isSameIdentity } from '../../../api/management/identities.ts';
import { type IdentityLink, type User, type UserIdentity, userKind } from '../../../api/management/v1/user.ts';
import { StatusError } from '../../../api/status.ts';
import type { RequestContext } from '../../../registry/context.ts';
import { type KindStores, storeOf } from '../../../registry/kind-stores.ts';

const writing = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false } as const;

/** Maximum number of attempts to write a user. Each failed attempt means that another write of the user succeeded. */
const maxAttempts = 10;

/**
 * Changes one identity in the status of a user. `change` receives the stored identity and returns the new one, or
 * `undefined` to change nothing. If another request wrote the user at the same time, `change` is called again. Resolves
 * with the user, or with `undefined` if the user no longer exists or is no longer linked with the identity.
 */
export async function changeIdentity(
  kinds: KindStores,
  { user: name, link }: { readonly user: string; readonly link: IdentityLink },
  change: (before: UserIdentity | undefined) => UserIdentity | undefined,
  context: RequestContext,
): Promise<User | undefined> {
  const users = storeOf(kinds, userKind);
  for (let attempt = 1; ; attempt++) {
    await users.freshRevision();
    const user = users.peek('', name)?.object;
    if (user === undefined || !isLinkedWith(user, link)) return undefined;
    const identities = user.status?.identities ?? [];
    const before = identities.find((one) => isSameIdentity(one, link));
    const next = change(before);
    if (next === undefined) return user;
    const others = identities.filter((one) => one !== before && isLinkedWith(user, one));
    const document = {
      metadata: { resourceVersion: user.metadata.resourceVersion ?? '' },
      status: { identities: [...others, next] },
    };
    try {
      await users.status?.patch(context, name, { type: 'merge', document, findings: [] }, writing);
      return users.peek('', name)?.object;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.code === 404) return undefined;
      if (error.code !== 409 || attempt === maxAttempts) throw error;
    }
  }
}

/**
 * Updates the display name and email address of a user if they differ from the given values. A value that is absent
 * leaves the stored value unchanged.
 */
export async function refreshProfile(
  kinds: KindStores,
  user: User,
  profile: { readonly displayName?: string | undefined; readonly email?: string | undefined },
  context: RequestContext,
): Promise<void> {
  const given = Object.entries(profile).filter(([field, value]) => {
    return value !== undefined && !equalJson(user.spec?.[field as 'displayName' | 'email'], value);
  });
  if (given.length === 0) return;
  const document = { spec: Object.fromEntries(given) as Record<string, string> };
  const { name = '' } = user.metadata;
  try {
    await storeOf(kinds, userKind).verbs.patch(context, name, { type: 'merge', document, findings: [] }, writing);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}

function isLinkedWith({ spec }: User, link: IdentityLink): boolean {
  return (spec?.identities ?? []).some((one) => isSameIdentity(one, link));
}
