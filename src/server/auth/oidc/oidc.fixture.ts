import type { ConnectorSettings, OidcConnector } from '../../../auth/oidc/connector.ts';
import { ProviderError, type ProviderErrorReason } from '../../../auth/oidc/connector.ts';
import type { ProviderIdentity, ProviderLogin } from '../../../auth/oidc/provider-identity.ts';
import { silentLog } from '../../../lib/log.ts';
import { type ManagementTestEnvOptions, openManagementTestEnv } from '../../../management/management.fixture.ts';
import type { ManagementSettings } from '../../../management/settings.ts';
import { openLogins } from '../logins.ts';
import { openIdentityLogins } from './identity-logins.ts';
import { RefreshKeys } from './refresh-keys.ts';

export const issuer = 'https://login.example';

export const connectorSettings: ConnectorSettings = {
  name: 'corp',
  displayName: 'Corp',
  issuer,
  clientId: 'flotilla',
  scopes: ['openid'],
  claims: { user: 'preferred_username', email: 'email', groups: 'groups' },
  allowedGroups: [],
  allowedDomains: [],
  groupsToTeams: {},
  adminGroups: [],
  createUsers: true,
  refreshSeconds: 300,
  unavailableSeconds: 3600,
};

/** A provider that a test controls. Each refresh token belongs to one person. */
export class ControlledConnector implements OidcConnector {
  readonly settings: ConnectorSettings;
  /** The answers to refresh tokens. A token without an entry is unknown to the provider. */
  readonly people = new Map<string, ProviderLogin | ProviderErrorReason>();
  /** The refresh tokens that were used, in their order. */
  readonly used: string[] = [];
  /** Called before each answer. */
  beforeAnswer: () => Promise<void> = () => Promise.resolve();

  constructor(settings: Partial<ConnectorSettings> = {}) {
    this.settings = { ...connectorSettings, ...settings };
  }

  start(): never {
    throw new Error('not part of this test');
  }

  finish(): never {
    throw new Error('not part of this test');
  }

  async refresh({ subject, refreshToken }: { subject: string; refreshToken: string }): Promise<ProviderLogin> {
    this.used.push(refreshToken);
    await this.beforeAnswer();
    const found = this.people.get(refreshToken) ?? 'Gone';
    if (typeof found === 'string') throw new ProviderError(found, `${found} in a test`);
    if (found.identity.subject !== subject) throw new ProviderError('Rejected', 'another subject');
    return found;
  }

  async signOutUrl(): Promise<undefined> {}
}

export function person(subject: string, changes: Partial<ProviderIdentity> = {}): ProviderIdentity {
  return { connector: 'corp', issuer, subject, username: subject, emailVerified: false, groups: [], ...changes };
}

export interface OidcTestEnvOptions extends ManagementTestEnvOptions {
  readonly connectors?: readonly OidcConnector[];
  readonly management?: Partial<ManagementSettings>;
}

/** Opens a management API with logins and identity logins. */
export async function openOidcTestEnv({ connectors, management: settings, ...options }: OidcTestEnvOptions = {}) {
  const management = await openManagementTestEnv(settings, options);
  const { plane, state, store, sealer, clock } = management;
  const kinds = plane.kinds;
  const logins = openLogins({ kinds, state, sealer, ttl: 3600, clock, log: silentLog });
  const refreshKeys = new RefreshKeys({ kinds, state, sealer });
  const byName = new Map((connectors ?? [new ControlledConnector()]).map((one) => [one.settings.name, one]));
  const identityLogins = openIdentityLogins({ store, kinds, state, logins, refreshKeys, connectors: byName, clock });
  /** Signs a person in. Throws if the sign-in is refused. */
  const signIn = async (login: ProviderLogin) => {
    const opened = await identityLogins.open(login);
    if ('reason' in opened) throw new Error(`refused: ${opened.reason}: ${opened.why}`);
    return opened;
  };
  return { ...management, kinds, logins, refreshKeys, connectors: byName, identityLogins, signIn };
}
