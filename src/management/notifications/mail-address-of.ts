import { domainOfAddress, isMailAddress } from '../../api/mail/mail-address.ts';
import { linkedIdentities } from '../../api/management/identities.ts';
import type { User } from '../../api/management/v1/user.ts';

/**
 * Returns the address at which the user receives mails; `undefined` if there is none. Users can change their own
 * `spec.email`, so that they could have mails sent to people outside of the installation. The address therefore counts
 * only if an identity provider has verified it or its domain is trusted.
 */
export function mailAddressOf(
  user: Pick<User, 'spec' | 'status'>,
  trustedDomains: readonly string[],
): string | undefined {
  const verified = linkedIdentities(user).flatMap(({ email = '', emailVerified, state }) =>
    emailVerified === true && state !== 'Gone' && isMailAddress(email) ? [email] : [],
  );
  const chosen = user.spec?.email ?? '';
  if (isMailAddress(chosen)) {
    if (verified.some((address) => address.toLowerCase() === chosen.toLowerCase())) return chosen;
    if (trustedDomains.includes(domainOfAddress(chosen))) return chosen;
  }
  return verified[0];
}
