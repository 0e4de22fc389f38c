import type { ConnectorSettings } from '../../src/auth/oidc/connector.ts';

/** Returns the complete settings of a connector with the defaults of tests. */
export function connectorSettings(
  settings: Pick<ConnectorSettings, 'issuer' | 'clientId'> & Partial<ConnectorSettings>,
): ConnectorSettings {
  return {
    name: 'company',
    displayName: 'Company',
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    claims: { user: 'preferred_username', email: 'email', groups: 'groups' },
    allowedGroups: [],
    allowedDomains: [],
    groupsToTeams: {},
    adminGroups: [],
    createUsers: true,
    refreshSeconds: 300,
    unavailableSeconds: 3600,
    ...settings,
  };
}
