import { randomBytes } from 'node:crypto';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { isUsableKey } from '../../auth/key-state.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { hiddenCreatorKey, hiddenKeyHash } from '../../management/access-keys/access-key-hidden.ts';
import { keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { isAppSession } from '../../management/access-keys/app-session-keys.ts';
import { openingTimeOf } from '../../management/access-keys/login-keys.ts';
import { accessKeyHashPurpose } from '../../management/resources/accesskeys.ts';
import type { ManagementState } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { Sealer } from '../../seal/sealer.ts';
import { removeAccessKey } from '../auth/remove-access-key.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';
import type { CodeGrant } from './authorization-codes.ts';
import { grantedScopes } from './scopes.ts';
import type { SessionTokens } from './session-tokens.ts';
import type { SignedInUser } from './user-claims.ts';

export interface AppSessionsOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly sealer: Pick<Sealer, 'hash'>;
  readonly clients: ReadonlyMap<string, OidcClient>;
  readonly tokens: SessionTokens;
  readonly clock: Clock;
}

/**
 * The session of a user at an app. It is stored as an access key of the type `OIDCRefreshToken`, which no request can
 * use as a credential.
 */
export interface AppSession extends SignedInUser {
  readonly name: string;
  readonly client: OidcClient;
  readonly scopes: readonly string[];
  /** The time at which the user proved who they are, in milliseconds since the epoch. */
  readonly authenticatedAt: number;
  /** The caller in audit events. */
  readonly caller: UserInfo;
  readonly expiresAt: number;
}

/**
 * The maximum number of sessions of one user at one app. A further session replaces the session that was least recently
 * refreshed.
 */
const maxSessions = 20;
/**
 * The maximum number of attempts to replace a refresh token if other requests change the access key at the same time.
 */
const maxAttempts = 3;
const writing = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false } as const;

export class AppSessions {
  readonly #options: AppSessionsOptions;

  constructor(options: AppSessionsOptions) {
    this.#options = options;
  }

  /** Returns a name for a new session. The name cannot be guessed, so no other caller can use it first. */
  newName(): string {
    return `app-${randomBytes(12).toString('hex')}`;
  }

  /**
   * Opens the session for an authorization code. Returns the session with its refresh token; `undefined` if the login
   * has ended or the user may no longer use the app.
   */
  async open(
    name: string,
    grant: CodeGrant,
  ): Promise<{ readonly session: AppSession; readonly refreshToken: string } | undefined> {
    const { kinds, state, clients, tokens } = this.#options;
    const client = clients.get(grant.clientId);
    const login = state.accessKey(grant.login);
    if (client === undefined || login?.metadata.uid !== grant.loginUid) return undefined;
    const refreshToken = tokens.createRefreshToken(name);
    const { clientId, nonce, redirectUri } = grant;
    const isRefreshable = grant.scopes.includes('offline_access');
    const key: AccessKey = {
      apiVersion: apiVersionOf(accessKeyKind),
      kind: accessKeyKind.kind,
      metadata: { name },
      spec: {
        type: 'OIDCRefreshToken',
        user: login.spec?.user ?? '',
        displayName: `Sign-in to ${client.name}`,
        key: tokens.keyValueOf(refreshToken),
        ttl: isRefreshable ? Math.max(client.refreshTTL, client.tokenTTL) : client.tokenTTL,
        oidcProvider: {
          clientId,
          redirectUri,
          scopes: grant.scopes.join(' '),
          ...(nonce === undefined ? {} : { nonce }),
        },
      },
    };
    try {
      await storeOf(kinds, accessKeyKind).verbs.create({ ...systemContext(''), accessKey: grant.login }, key, writing);
    } catch (error) {
      // The login or the user was deleted in the meantime.
      if (error instanceof StatusError && state.accessKey(grant.login) === undefined) return undefined;
      throw error;
    }
    const session = this.find(name);
    if (session === undefined) {
      await this.end(name);
      return undefined;
    }
    await this.#endOldest(session);
    return { session, refreshToken };
  }

  /**
   * Returns a session; `undefined` if its login, its user or the permission to use the app no longer exists. Reads only
   * caches.
   */
  find(name: string): AppSession | undefined {
    const { state, clients, clock } = this.#options;
    const key = state.accessKey(name);
    if (key === undefined || !isAppSession(key)) return undefined;
    const found = keyStateOf(key, state);
    if (!isUsableKey(found, clock.now())) return undefined;
    const { user: userName = '', oidcProvider } = key.spec ?? {};
    const client = clients.get(oidcProvider?.clientId ?? '');
    const user = state.user(userName);
    const login = state.accessKey(state.accessKeyHidden(name)?.[hiddenCreatorKey]?.name ?? '');
    if (client === undefined || user === undefined || login === undefined) return undefined;
    const teams = state.teamsOf(userName);
    if (!mayUseApp(client, teams)) return undefined;
    const scopes = grantedScopes(oidcProvider?.scopes ?? '');
    const { user: caller, expiresAt = Number.POSITIVE_INFINITY } = found;
    const authenticatedAt = Date.parse(openingTimeOf(login, state));
    return { name, client, scopes, user, login, teams, authenticatedAt, caller, expiresAt };
  }

  /** True if an app already has a session with these scopes that was opened in this login. */
  hasSession(login: string, clientId: string, scopes: readonly string[]): boolean {
    for (const name of this.#options.state.keysCreatedWith(login)) {
      const session = this.find(name);
      if (session?.client.id === clientId && scopes.every((scope) => session.scopes.includes(scope))) return true;
    }
    return false;
  }

  /**
   * Replaces the refresh token of a session. Returns the new token; `undefined` if `presented` is no longer the current
   * token. The caches must be current.
   */
  async rotate(name: string, presented: string): Promise<string | undefined> {
    const { kinds, tokens, state } = this.#options;
    const next = tokens.createRefreshToken(name);
    for (let attempt = 1; attempt <= maxAttempts && this.isCurrent(name, presented); attempt++) {
      const { resourceVersion = '' } = state.accessKey(name)?.metadata ?? {};
      const document = { metadata: { resourceVersion }, spec: { key: tokens.keyValueOf(next) } };
      const patch = { type: 'merge', document, findings: [] } as const;
      try {
        await storeOf(kinds, accessKeyKind).verbs.patch(systemContext(''), name, patch, writing);
        return next;
      } catch (error) {
        // Continues after 404 or 409: another request has changed the key at the same time.
        if (!(error instanceof StatusError) || (error.code !== 409 && error.code !== 404)) throw error;
        await state.caughtUp();
      }
    }
    return undefined;
  }

  /** True if a refresh token is the latest one of its session. */
  isCurrent(name: string, refreshToken: string): boolean {
    const { state, sealer, tokens } = this.#options;
    const hash = sealer.hash(accessKeyHashPurpose, tokens.keyValueOf(refreshToken));
    return state.accessKeyHidden(name)?.[hiddenKeyHash] === hash;
  }

  /** Ends a session. All its tokens become invalid at once. */
  async end(name: string): Promise<void> {
    const key = this.#options.state.accessKey(name);
    if (key !== undefined && isAppSession(key)) await removeAccessKey(this.#options.kinds, key);
  }

  async #endOldest({ name, client, user }: AppSession): Promise<void> {
    const { state } = this.#options;
    const others = [...state.accessKeysOf('user', user.metadata.name ?? '')].filter(
      (key) => isAppSession(key) && key.spec?.oidcProvider?.clientId === client.id && key.metadata.name !== name,
    );
    const lastChange = (key: AccessKey) => Number(key.metadata.resourceVersion ?? 0);
    others.sort((a, b) => lastChange(b) - lastChange(a));
    for (const key of others.slice(maxSessions - 1)) await this.end(key.metadata.name ?? '');
  }
}

/** True if a member of `teams` may sign in to the app. */
export function mayUseApp({ allowedTeams }: OidcClient, teams: readonly string[]): boolean {
  return allowedTeams.length === 0 || allowedTeams.some((team) => teams.includes(team));
}
