import type { OffboardingItem, UserOffboarding } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { managementRoot } from '../../data/api-root.ts';
import { kinds, objectUrl } from '../../data/kind-ref.ts';
import { sendJson } from '../../data/send.ts';

/** The choices of the person who offboards a user. */
export type OffboardingChoices = NonNullable<UserOffboarding['spec']>;

/** Returns the actions of an offboarding, without performing them. */
export async function planOffboarding(
  user: string,
  choices: OffboardingChoices,
  signal: AbortSignal,
): Promise<readonly OffboardingItem[]> {
  return (await post(user, choices, { isDryRun: true, signal })).status?.items ?? [];
}

/**
 * Offboards a user and returns the performed actions. Each request makes a limited number of changes, so the function
 * sends requests until no changes remain.
 */
export async function offboard(user: string, choices: OffboardingChoices): Promise<readonly OffboardingItem[]> {
  const first = (await post(user, choices, {})).status;
  // Sends `revokeUnattributed` only in the first request, which makes all revocations. The response to the first
  // request lists all changes, including those of later requests.
  const { revokeUnattributed: _, ...others } = choices;
  for (let left = first?.remaining ?? 0; left > 0; ) left = (await post(user, others, {})).status?.remaining ?? 0;
  return first?.items ?? [];
}

async function post(
  name: string,
  spec: OffboardingChoices,
  { isDryRun = false, signal }: { readonly isDryRun?: boolean; readonly signal?: AbortSignal },
): Promise<UserOffboarding> {
  const url = objectUrl(managementRoot, kinds.user, { name }, 'offboard');
  return await sendJson<UserOffboarding>({
    method: 'POST',
    url: isDryRun ? `${url}?dryRun=All` : url,
    document: { metadata: { name }, spec },
    ...(signal === undefined ? {} : { signal }),
  });
}
