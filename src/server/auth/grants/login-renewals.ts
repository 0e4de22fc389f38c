import { accessKeyExpiry } from '../../../api/management/access-key-expiry.ts';
import { type AccessKey, type AccessKeySpec, accessKeyKind } from '../../../api/management/v1/access-key.ts';
import { timestamp } from '../../../api/meta.ts';
import type { SecondFactorPolicy } from '../../../api/second-factor.ts';
import { badRequest, forbiddenPath, StatusError, serviceUnavailable, unauthorized } from '../../../api/status.ts';
import { isStrongAccessKey } from '../../../auth/access-key-format.ts';
import { isUsableKey } from '../../../auth/key-state.ts';
import type { ConnectorSettings } from '../../../auth/oidc/connector.ts';
import { systemContext } from '../../../controlplane/system-context.ts';
import type { Clock } from '../../../lib/clock.ts';
import { hiddenCreatorKey, hiddenKeyHash } from '../../../management/access-keys/access-key-hidden.ts';
import { keyStateOf } from '../../../management/access-keys/access-key-state.ts';
import { isRefreshKey, openingTimeOf } from '../../../management/access-keys/login-keys.ts';
import { isGrantedLogin, recordRenewal } from '../../../management/access-keys/renewed-logins.ts';
import { hasSecondFactor } from '../../../management/accounts/second-factor.ts';
import { accessKeyHashPurpose } from '../../../management/resources/accesskeys.ts';
import type { ManagementState } from '../../../management/state.ts';
import { type KindStores, storeOf } from '../../../registry/kind-stores.ts';
import type { Sealer } from '../../../seal/sealer.ts';

export interface LoginRenewalsOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly sealer: Pick<Sealer, 'hash'>;
  /** Lifetime of a login after a renewal, in seconds. */
  readonly ttl: number;
  /** The maximum time from a sign-in to the end of a renewed login, in seconds. 0 means that no login is renewed. */
  readonly renewedTTL: number;
  /** The maximum age of a sign-in that may still open a renewable login, in seconds. 0 means any age. */
  readonly freshLoginSeconds: number;
  readonly connectors: readonly Pick<ConnectorSettings, 'name' | 'refreshSeconds'>[];
  readonly secondFactor: SecondFactorPolicy;
  readonly clock: Clock;
}

/** A login after a renewal. */
export interface RenewedLogin {
  readonly name: string;
  readonly expiresAt: number;
  /** True if the login can be renewed again later. */
  readonly isRenewable: boolean;
  /**
   * A text for the audit log. It names the person, and the provider or setting that confirmed that the login may be
   * renewed.
   */
  readonly confirmation: string;
}

/** The value of a login in the request, and the value that replaces it. */
export interface RenewalValues {
  readonly from: string;
  readonly to: string;
}

/**
 * The minimum extension of a login in milliseconds. A renewal that extends a login by less is refused, because the next
 * renewal would follow at once.
 */
const shortestExtension = 60_000;
/** The time that the leader may need to refresh an identity in addition to two refresh intervals, in milliseconds. */
const refreshDelay = 60_000;

/**
 * Renews logins of the command line. A renewal gives a login a new value and a later end. It requires that the
 * provider, or the settings for passwords, still confirm the person. A renewal never counts as a sign-in.
 */
export class LoginRenewals {
  readonly #options: LoginRenewalsOptions;

  constructor(options: LoginRenewalsOptions) {
    this.#options = options;
  }

  /** True if the login with this name can be renewed before it ends, as far as is known now. */
  isRenewable(name: string): boolean {
    const key = this.#options.state.accessKey(name);
    return key !== undefined && typeof this.#lastEndOf(key) === 'number';
  }

  /**
   * Renews a login: replaces its value `from` by `to`. Throws 401 if the value is no longer `from`, 403 if the login
   * cannot be renewed, and 503 if it cannot be renewed at the moment. If the value is already `to`, nothing is changed:
   * the client repeats a request whose response it did not receive.
   */
  async renew(name: string, values: RenewalValues): Promise<RenewedLogin> {
    const { state, sealer, clock } = this.#options;
    const key = state.accessKey(name);
    if (key === undefined || !isUsableKey(keyStateOf(key, state), clock.now())) throw unauthorized();
    if (!isStrongAccessKey(values.to))
      throw badRequest('the body must have the string "accessKey", a new random value in the format of access keys');
    const [from, to] = [values.from, values.to].map((value) => sealer.hash(accessKeyHashPurpose, value));
    if (from === undefined || to === undefined || state.accessKeyHidden(name)?.[hiddenKeyHash] !== from)
      throw unauthorized();
    const lastEnd = this.#lastEndOf(key);
    if (from === to && isGrantedLogin(key, state)) return this.#describe(name);
    if (typeof lastEnd === 'string') throw forbiddenPath(`the login cannot be renewed: ${lastEnd}`);
    this.#requireConfirmation(key);
    const end = Math.min(clock.now() + this.#options.ttl * 1000, lastEnd);
    await this.#write(key, { end, value: values.to, record: recordRenewal({ from, to }) });
    return this.#describe(name);
  }

  /** Returns the latest end that renewals can give a login, or the reason why it cannot be renewed. */
  #lastEndOf(key: AccessKey): number | string {
    const { state, renewedTTL } = this.#options;
    if (!isGrantedLogin(key, state))
      return 'only logins that "flotilla login" opened in a browser, or with a code, can be renewed';
    if (renewedTTL === 0) return 'this server renews no logins (auth.renewedLoginTTL)';
    const refusal = this.#refusalOf(key);
    if (refusal !== undefined) return refusal;
    const signIn = openingTimeOf(key, state);
    if (!this.#isOfRecentSignIn(key, signIn))
      return `the sign-in at ${signIn} was too old when you allowed the login (auth.freshLoginSeconds)`;
    const opener = this.#openerOf(key);
    const ends = [Date.parse(signIn) + renewedTTL * 1000, opener && keyStateOf(opener, state).expiresAt];
    const end = Math.min(...ends.filter((one) => one !== undefined));
    if (end - (accessKeyExpiry(key) ?? end) >= shortestExtension) return end;
    return `it reached the end of all renewals after the sign-in at ${signIn} (auth.renewedLoginTTL)`;
  }

  /**
   * True if the login was opened soon after the sign-in of its session. This is required because a stolen session must
   * not open a login that outlives the session.
   */
  #isOfRecentSignIn({ metadata }: AccessKey, signIn: string): boolean {
    const { freshLoginSeconds } = this.#options;
    if (freshLoginSeconds === 0) return true;
    return Date.parse(metadata.creationTimestamp ?? '') - Date.parse(signIn) <= freshLoginSeconds * 1000;
  }

  /** Returns the reason why the provider or the settings no longer confirm the person; `undefined` if there is none. */
  #refusalOf(key: AccessKey): string | undefined {
    const { state, secondFactor } = this.#options;
    const { identity, user = '' } = key.spec ?? {};
    if (identity?.connector !== undefined)
      return this.#refreshKeyOf(key) === undefined
        ? `the identity provider "${identity.connector}" issued no refresh token, so it confirms people only at a sign-in`
        : undefined;
    // A login that an access key opened depends only on that key.
    if (this.#openerOf(key) !== undefined) return undefined;
    if (!state.passwordsEnabled) return 'logins with a password are disabled (auth.password.enabled)';
    return secondFactor === 'required' && !hasSecondFactor(state.userHidden(user))
      ? 'this server requires a second factor, which you have not set up (auth.password.secondFactor)'
      : undefined;
  }

  /** Throws 503 if the provider of a login has not confirmed the person recently. */
  #requireConfirmation(key: AccessKey): void {
    const { connectors, clock } = this.#options;
    const connector = key.spec?.identity?.connector;
    if (connector === undefined) return;
    const { refreshSeconds = 0 } = connectors.find(({ name }) => name === connector) ?? {};
    const confirmed = this.#refreshKeyOf(key)?.spec?.identityRefresh ?? '';
    if (clock.now() - Date.parse(confirmed) <= 2 * refreshSeconds * 1000 + refreshDelay) return;
    throw serviceUnavailable(
      `the identity provider "${connector}" has not confirmed the person since ${confirmed || 'the sign-in'}; the login is renewed when it does`,
      60,
    );
  }

  /** Returns the key with the refresh token of the identity that opened a login; `undefined` if there is none. */
  #refreshKeyOf({ spec }: AccessKey): AccessKey | undefined {
    const parent = this.#options.state.accessKey(spec?.parent ?? '');
    return parent !== undefined && isRefreshKey(parent) && parent.spec?.user === spec?.user ? parent : undefined;
  }

  /** Returns the access key on which a login depends; `undefined` if it depends on none. */
  #openerOf({ metadata }: AccessKey): AccessKey | undefined {
    const { state } = this.#options;
    return state.accessKey(state.accessKeyHidden(metadata.name ?? '')?.[hiddenCreatorKey]?.name ?? '');
  }

  async #write(
    key: AccessKey,
    { end, value, record }: { end: number; value: string; record: ReturnType<typeof recordRenewal> },
  ): Promise<void> {
    const { metadata } = key;
    const created = Date.parse(metadata.creationTimestamp ?? '');
    const identityRefresh = this.#refreshKeyOf(key)?.spec?.identityRefresh;
    const spec: AccessKeySpec = {
      key: value,
      ttl: Math.floor((end - created) / 1000),
      ...(identityRefresh === undefined ? {} : { identityRefresh }),
    };
    const patch = { type: 'merge', document: { metadata: { uid: metadata.uid ?? '' }, spec }, findings: [] } as const;
    const writing = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false } as const;
    const context = { ...systemContext(''), changeHidden: record };
    try {
      await storeOf(this.#options.kinds, accessKeyKind).verbs.patch(context, metadata.name ?? '', patch, writing);
    } catch (error) {
      // The login ended in the meantime.
      if (error instanceof StatusError && (error.code === 404 || error.code === 409)) throw unauthorized();
      throw error;
    }
  }

  #describe(name: string): RenewedLogin {
    const { state, clock } = this.#options;
    const key = state.accessKey(name);
    const found = key && keyStateOf(key, state);
    // The user was disabled, or the identity ended, during the renewal.
    if (key === undefined || !isUsableKey(found, clock.now())) throw unauthorized();
    const { expiresAt = Number.POSITIVE_INFINITY } = found;
    return { name, expiresAt, isRenewable: this.isRenewable(name), confirmation: this.#confirmationOf(key) };
  }

  #confirmationOf(key: AccessKey): string {
    const { identity, identityRefresh, user } = key.spec ?? {};
    const signIn = `signed in at ${openingTimeOf(key, this.#options.state)}`;
    if (identity?.connector === undefined) return `user "${user ?? ''}", ${signIn}`;
    const who = `connector "${identity.connector}", subject ${JSON.stringify(identity.userId ?? '')}`;
    return `${who}, ${signIn}, confirmed at ${identityRefresh ?? timestamp(this.#options.clock.now())}`;
  }
}
