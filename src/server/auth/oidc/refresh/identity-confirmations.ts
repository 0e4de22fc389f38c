import { accessKeyPhase } from '../../../../api/management/access-key-expiry.ts';
import { activeIdentities } from '../../../../api/management/identities.ts';
import { accessKeyKind } from '../../../../api/management/v1/access-key.ts';
import { type User, type UserIdentity, userKind } from '../../../../api/management/v1/user.ts';
import { reasonNotAllowed } from '../../../../auth/oidc/allowed-identity.ts';
import { systemContext } from '../../../../controlplane/system-context.ts';
import { isLogin, isRefreshKey } from '../../../../management/access-keys/login-keys.ts';
import { storedGroups } from '../../../../management/identities/provider-rights.ts';
import { storeOf } from '../../../../registry/kind-stores.ts';
import { identityRights } from '../identity-rights.ts';
import { changeIdentity } from '../user-identities.ts';
import { endIdentity, type RefreshOptions, type RefreshTenure } from './refresh-identity.ts';
import { auditRefresh } from './refresh-report.ts';

/** The interval at which identities without a refresh token are checked, in milliseconds. */
const checkMilliseconds = 60_000;

/**
 * Checks that active identities are still confirmed. At the start, applies the current connector settings to the stored
 * groups. Later, ends each identity without a refresh token after its last login has ended.
 */
export class IdentityConfirmations {
  readonly #options: RefreshOptions;
  readonly #tenure: RefreshTenure;
  /** The names of the users with active identities that have no refresh token. */
  readonly #unrefreshed = new Set<string>();
  readonly #stopListening: () => void;
  #cancelTimer: (() => void) | undefined;
  #isStopped = false;
  #running: Promise<void>;

  constructor(options: RefreshOptions, tenure: RefreshTenure) {
    this.#options = options;
    this.#tenure = tenure;
    const users = storeOf(options.kinds, userKind);
    const stops = [
      users.listen(({ after }) => {
        if (after !== undefined) this.#note(after.object);
      }),
      storeOf(options.kinds, accessKeyKind).listen(({ before, after }) => {
        const user =
          after === undefined && before && isRefreshKey(before.object) ? before.object.spec?.user : undefined;
        const owner = user === undefined ? undefined : options.state.user(user);
        if (owner !== undefined) this.#note(owner);
      }),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.#running = this.#start(users.peekAll().map(({ object }) => object));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    this.#cancelTimer?.();
    await this.#running;
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #start(users: readonly User[]): Promise<void> {
    for (const user of users) {
      for (const identity of activeIdentities(user)) {
        if (this.#isStopped) return;
        await this.#guarded(user, () => this.#reevaluate(user, identity));
      }
      this.#note(user);
    }
    this.#scheduleCheck();
  }

  #scheduleCheck(): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#options.clock.after(checkMilliseconds, () => {
      this.#running = this.#check().then(() => this.#scheduleCheck());
    });
  }

  #note(user: User): void {
    const { name = '' } = user.metadata;
    const isUnrefreshed = activeIdentities(user).some((one) => this.#options.refreshKeys.find(one, name) === undefined);
    if (isUnrefreshed) this.#unrefreshed.add(name);
    else this.#unrefreshed.delete(name);
  }

  async #check(): Promise<void> {
    for (const name of [...this.#unrefreshed]) {
      const user = this.#options.state.user(name);
      if (user === undefined) {
        this.#unrefreshed.delete(name);
        continue;
      }
      for (const identity of activeIdentities(user)) {
        if (this.#isStopped) return;
        if (!this.#isConfirmed(name, identity)) await this.#guarded(user, () => this.#expire(name, identity));
      }
      const after = this.#options.state.user(name);
      if (after !== undefined) this.#note(after);
    }
  }

  /** True if the identity has a refresh token or a login that has not ended. */
  #isConfirmed(user: string, identity: UserIdentity): boolean {
    const { state, refreshKeys, clock } = this.#options;
    if (refreshKeys.find(identity, user) !== undefined) return true;
    // Keeps the identity, because a sign-in may be in progress. A sign-in writes `lastLogin` before it creates the
    // login.
    if (clock.now() - Date.parse(identity.lastLogin ?? '') < checkMilliseconds) return true;
    for (const key of state.accessKeysOf('user', user)) {
      const { connector, userId } = key.spec?.identity ?? {};
      const isOfIdentity = isLogin(key) && connector === identity.connector && userId === identity.subject;
      if (isOfIdentity && accessKeyPhase(key, clock.now()) === 'Active') return true;
    }
    return false;
  }

  async #expire(user: string, identity: UserIdentity): Promise<void> {
    const message = 'all logins have ended, and the provider issued no refresh token; sign in again';
    const end = { user, link: identity, connector: identity.connector };
    const isCurrent = () => !this.#isConfirmed(user, identity);
    await endIdentity(this.#options, { ...end, isCurrent }, { state: 'Expired', message }, this.#tenure);
  }

  /** Applies the current settings of the connector to the stored groups of an identity. */
  async #reevaluate(user: User, identity: UserIdentity): Promise<void> {
    const { connectors, state, kinds } = this.#options;
    const { name = '' } = user.metadata;
    const settings = connectors.get(identity.connector)?.settings;
    const end = { user: name, link: identity, connector: identity.connector };
    if (settings === undefined || settings.issuer !== identity.issuer) {
      const message = 'the connector is no longer configured';
      await endIdentity(this.#options, end, { state: 'Expired', message }, this.#tenure);
      return;
    }
    const groups = storedGroups(state.userHidden(name), identity);
    const { emailVerified = false, username = '', ...known } = identity;
    const refusal = reasonNotAllowed({ ...known, username, emailVerified, groups }, settings);
    if (refusal !== undefined) {
      await endIdentity(this.#options, end, { state: 'Expired', message: refusal }, this.#tenure);
      return;
    }
    const { teams, admin, groupsPrefix } = identityRights(settings, { groups });
    const isSame =
      teams.join() === (identity.teams ?? []).join() &&
      admin === (identity.admin === true) &&
      groupsPrefix === identity.groupsPrefix;
    if (isSame) return;
    const change = (before: UserIdentity | undefined) => {
      if (before?.lastRefresh !== identity.lastRefresh) return undefined;
      const { admin: _, groupsPrefix: __, ...kept } = identity;
      const prefix = groupsPrefix === undefined ? {} : { groupsPrefix };
      return { ...kept, ...prefix, teams: [...teams], ...(admin ? { admin } : {}) };
    };
    await changeIdentity(
      kinds,
      { user: name, link: identity },
      change,
      systemContext('', undefined, this.#tenure.fence),
    );
    const who = { connector: identity.connector, subject: identity.subject, user: name };
    await auditRefresh(this.#options, who, 'changed', `the settings changed; teams: ${teams.join(', ') || 'none'}`);
  }

  async #guarded(user: User, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn({ user: user.metadata.name, error }, 'cannot check the identities of a user');
    }
  }
}
