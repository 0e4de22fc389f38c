import type { ConnectorSettings } from './connector.ts';
import type { ProviderIdentity } from './provider-identity.ts';

/**
 * Returns the reason why a person may not sign in through the connector; `undefined` if the person may sign in. If the
 * settings restrict groups and domains, both restrictions apply.
 */
export function reasonNotAllowed(
  { groups, email, emailVerified }: ProviderIdentity,
  { allowedGroups, allowedDomains }: Pick<ConnectorSettings, 'allowedGroups' | 'allowedDomains'>,
): string | undefined {
  if (allowedGroups.length > 0) {
    const held = new Set(groups);
    if (!allowedGroups.some((group) => held.has(group))) return 'the person is in none of the allowed groups';
  }
  if (allowedDomains.length === 0) return undefined;
  if (email === undefined) return 'the provider sent no email address, and the connector allows only some domains';
  // Only verified addresses count, because at some providers anyone can enter an email address of any domain.
  if (!emailVerified)
    return 'the provider did not verify the email address, and the connector allows only some domains';
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return allowedDomains.includes(domain) ? undefined : 'the domain of the email address is not allowed';
}
