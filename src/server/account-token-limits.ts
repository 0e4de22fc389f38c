import type { AccountTokenLimits } from '../gateway/account-tokens/account-token-limits.ts';
import type { Clock } from '../lib/clock.ts';
import { creatorMayUse } from '../management/creator-access.ts';
import type { ManagementSettings } from '../management/settings.ts';
import type { ManagementState } from '../management/state.ts';

/** Returns the limits of service account tokens at the gateway, as the settings define them. */
export function accountTokenLimits(
  { gateway }: ManagementSettings,
  state: ManagementState,
  clock: Clock,
): AccountTokenLimits {
  const maxAgeSeconds = gateway.maxServiceAccountTokenAge;
  if (!gateway.serviceAccountTokensFollowMaker) return { maxAgeSeconds };
  return { maxAgeSeconds, creatorMayUse: (creator, instance) => creatorMayUse(creator, instance, state, clock.now()) };
}
