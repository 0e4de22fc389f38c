import type { OffboardingItem } from '../../api/management/v1/subresources/user-offboarding.ts';
import type { User } from '../../api/management/v1/user.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { ReadCredentialsOptions } from '../credentials/read-credentials.ts';
import { credentialItem } from './credential-item.ts';
import type { CredentialSearch } from './search-credentials.ts';
import { recordsCreators } from './unattributed-instances.ts';

/** The maximum number of credentials that are listed individually. */
const maxCredentials = 500;

/**
 * Returns an item for each service account credential that names the user as its creator. The last item describes what was not
 * listed or not searched.
 */
export function createdCredentials(
  user: User,
  instances: readonly VirtualClusterInstance[],
  { found, unsearched }: CredentialSearch,
  { settings }: Pick<ReadCredentialsOptions, 'settings'>,
): OffboardingItem[] {
  const creator = user.spec?.subject || (user.metadata.name ?? '');
  const follows = settings.gateway.serviceAccountTokensFollowMaker;
  const action = follows ? 'End' : 'Keep';
  const items = instances.flatMap((instance) =>
    (found.get(instance.metadata.uid ?? '') ?? [])
      .filter((one) => one.maker === creator)
      .map((one) => credentialItem(one, instance, { action, message: consequenceOf(follows) })),
  );
  const unnamed = Math.max(0, items.length - maxCredentials);
  // Only virtual clusters that record creators can contain credentials with a creator. The other virtual clusters are
  // listed in separate items.
  const skipped = unsearched.filter(recordsCreators).length;
  return [...items.slice(0, maxCredentials), ...summary(user.metadata.name ?? '', { unnamed, skipped, follows })];
}

const consequenceOf = (follows: boolean) =>
  follows ? 'rejected at the gateway' : 'valid until the maximum age; revoke with flotilla credentials revoke';

/** `follows` is true if the gateway rejects credentials whose creator has lost access. */
function summary(
  user: string,
  { unnamed, skipped, follows }: { unnamed: number; skipped: number; follows: boolean },
): OffboardingItem[] {
  const parts = [
    ...(unnamed === 0 ? [] : [`${unnamed} more credentials`]),
    ...(skipped === 0 ? [] : [`credentials in ${skipped} virtual clusters that were not searched`]),
  ];
  if (parts.length === 0) return [];
  const message = `${parts.join(', and ')}; those that name ${user} as their creator: ${consequenceOf(follows)}; those without a creator: kept`;
  return [{ kind: 'ServiceAccountToken', name: user, action: follows ? 'End' : 'Keep', message }];
}
