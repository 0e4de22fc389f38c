import type { IdentityLink, User, UserIdentity } from '../../../api/management/v1/user.ts';
import { userKind } from '../../../api/management/v1/user.ts';
import { apiVersionOf, timestamp } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import type { ConnectorSettings, OidcConnector } from '../../../auth/oidc/connector.ts';
import type { ProviderIdentity, ProviderLogin } from '../../../auth/oidc/provider-identity.ts';
import { systemContext } from '../../../controlplane/system-context.ts';
import type { Clock } from '../../../lib/clock.ts';
import { identityClaim } from '../../../management/identities/identity-links.ts';
import { usedNameKey } from '../../../management/identities/used-names.ts';
import { namedUsers } from '../../../management/offboarding/named-users.ts';
import { subjectClaim, usernameClaim } from '../../../management/resources/users.ts';
import type { ManagementState } from '../../../management/state.ts';
import { type KindStores, storeOf } from '../../../registry/kind-stores.ts';
import type { Store } from '../../../store/store.ts';
import type { Logins, OpenedLogin } from '../logins.ts';
import { identityRights } from './identity-rights.ts';
import { keyIdentity, profileOf, userIdentity } from './identity-values.ts';
import type { RefreshKeys } from './refresh-keys.ts';
import { changeIdentity, refreshProfile } from './user-identities.ts';
import { candidateNames } from './user-name.ts';

/** A sign-in that is refused. `why` is for administrators. */
export interface RefusedIdentity {
  readonly reason: 'NoUser' | 'UserDisabled';
  readonly why: string;
  /** The name of the user. Absent if there is none. */
  readonly user?: string;
}

/** Opens logins for people who signed in at an identity provider. */
export interface IdentityLogins {
  /** Opens a login, and creates the user at the first sign-in if the connector allows it. */
  open(login: ProviderLogin): Promise<OpenedLogin | RefusedIdentity>;
  /**
   * Returns the connector with which a login was opened, and the ID token of the sign-in if it is stored. `undefined`
   * if the login was opened in another way.
   */
  signInOf(loginName: string): { readonly connector: string; readonly idToken?: string } | undefined;
}

export interface IdentityLoginsOptions {
  readonly store: Pick<Store, 'get'>;
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly logins: Pick<Logins, 'openWithIdentity'>;
  readonly refreshKeys: RefreshKeys;
  /** The connectors by name. */
  readonly connectors: ReadonlyMap<string, Pick<OidcConnector, 'settings'>>;
  readonly clock: Clock;
}

/** Maximum number of attempts to create a user while other sign-ins create users with the same name. */
const maxAttempts = 20;
const writing = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore' } as const;

export function openIdentityLogins(options: IdentityLoginsOptions): IdentityLogins {
  return new ProviderIdentityLogins(options);
}

class ProviderIdentityLogins implements IdentityLogins {
  readonly #options: IdentityLoginsOptions;

  constructor(options: IdentityLoginsOptions) {
    this.#options = options;
  }

  async open(login: ProviderLogin): Promise<OpenedLogin | RefusedIdentity> {
    const { identity } = login;
    const settings = this.#options.connectors.get(identity.connector)?.settings;
    if (settings === undefined) throw new Error(`there is no connector "${identity.connector}"`);
    const found = await this.#findOrCreate(settings, identity);
    if ('reason' in found) return found;
    const user = found.metadata.name ?? '';
    if (isDisabled(found)) return { reason: 'UserDisabled', why: `user "${user}" is disabled`, user };
    const opened = await this.#openFor(found, settings, login);
    return opened ?? { reason: 'UserDisabled', why: 'the user was changed during the login', user };
  }

  signInOf(loginName: string): { readonly connector: string; readonly idToken?: string } | undefined {
    const { state, refreshKeys } = this.#options;
    const { identity, parent = '' } = state.accessKey(loginName)?.spec ?? {};
    if (identity?.connector === undefined) return undefined;
    const key = state.accessKey(parent);
    const idToken = key && refreshKeys.secretsOf(key)?.idToken;
    return { connector: identity.connector, ...(idToken === undefined ? {} : { idToken }) };
  }

  async #openFor(
    user: User,
    settings: ConnectorSettings,
    { identity, refreshToken, idToken }: ProviderLogin,
  ): Promise<OpenedLogin | undefined> {
    const { kinds, refreshKeys, logins, clock } = this.#options;
    const { name = '' } = user.metadata;
    const link = linkOf(identity);
    const rights = identityRights(settings, identity);
    const identityRefresh = timestamp(clock.now());
    const shown = { identity: keyIdentity(identity, rights), identityRefresh };
    if (refreshToken !== undefined) {
      const secrets = { issuer: identity.issuer, refreshToken, ...(idToken === undefined ? {} : { idToken }) };
      const displayName = `Refresh token of ${settings.displayName}`;
      await refreshKeys.store({ link, user: name }, { ...shown, displayName }, secrets);
    }
    const context = systemContext('');
    const active = (before: UserIdentity | undefined) => userIdentity(identity, rights, { before, now: clock.now() });
    const linked = await changeIdentity(kinds, { user: name, link }, active, context);
    if (linked === undefined) return undefined;
    await refreshProfile(kinds, linked, profileOf(linked, identity), context);
    // Some providers issue a refresh token only at the first sign-in. The parent of the login can therefore be the
    // existing refresh key with the earlier token.
    const parent = refreshKeys.find(link, name)?.metadata.name;
    return await logins.openWithIdentity(name, {
      ...shown,
      displayName: `Login with ${settings.displayName}`,
      ...(parent === undefined ? {} : { parent }),
    });
  }

  /**
   * Returns the user with this identity. Creates the user if there is none. Each identity is a claim of its user, which
   * prevents a second user with the same identity.
   */
  async #findOrCreate(settings: ConnectorSettings, identity: ProviderIdentity): Promise<User | RefusedIdentity> {
    const users = storeOf(this.#options.kinds, userKind);
    const claim = identityClaim(identity);
    let failure: unknown;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await users.freshRevision();
      const found = users.byClaim(claim)?.object;
      if (found !== undefined) return found;
      const who = `subject ${JSON.stringify(identity.subject)} of ${identity.issuer}`;
      if (!settings.createUsers) return { reason: 'NoUser', why: `no user is linked with ${who}` };
      const name = await this.#freeName(identity.username);
      try {
        return await this.#create(name, identity);
      } catch (error) {
        // At the same time, another sign-in has created this user, or another user with this name was created.
        if (!(error instanceof StatusError) || (error.code !== 409 && error.code !== 422)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * Returns the first candidate name that no user has or had, and that no object and no access key refers to. With any
   * other name, the new user would get the access of another person.
   */
  async #freeName(username: string): Promise<string> {
    const { kinds, state, store } = this.#options;
    const users = storeOf(kinds, userKind);
    const named = namedUsers(state);
    const candidates = candidateNames(username);
    for (;;) {
      const { value: name } = candidates.next();
      const holders = [subjectClaim(name), usernameClaim(name)].map((claim) => users.byClaim(claim));
      if (holders.some((holder) => holder !== undefined)) continue;
      if (named.has(name) || state.accessKeyCountOf('subject', name) > 0) continue;
      if ((await store.get(usedNameKey(name))) === undefined) return name;
    }
  }

  async #create(name: string, identity: ProviderIdentity): Promise<User> {
    const users = storeOf(this.#options.kinds, userKind);
    const user: User = {
      apiVersion: apiVersionOf(userKind),
      kind: userKind.kind,
      metadata: { name },
      spec: { ...profileOf({ spec: {} }, identity), identities: [linkOf(identity)] },
    };
    await users.verbs.create(systemContext(''), user, writing);
    const created = users.byClaim(identityClaim(identity))?.object;
    if (created === undefined) throw new Error(`user "${name}" was deleted while it was created`);
    return created;
  }
}

function linkOf({ issuer, subject }: ProviderIdentity): IdentityLink {
  return { issuer, subject };
}

function isDisabled({ metadata, spec }: User): boolean {
  return spec?.disabled === true || metadata.deletionTimestamp !== undefined;
}
