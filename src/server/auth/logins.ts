import { accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, type AccessKeySpec, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { isWorkloadKey } from '../../api/management/workload-key.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { clusterOfAgentUser } from '../../api/naming.ts';
import { typedObject } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { isUsableKey } from '../../auth/key-state.ts';
import type { PasswordAccount } from '../../auth/password-login.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { withGrantedGroups } from '../../management/access-keys/access-key-groups.ts';
import { hiddenCreatorFingerprint, hiddenCreatorKey } from '../../management/access-keys/access-key-hidden.ts';
import { type KeyOwnerField, ownerMemberOf } from '../../management/access-keys/access-key-index.ts';
import { keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { creatorFingerprint } from '../../management/access-keys/creator-fingerprint.ts';
import { isLogin } from '../../management/access-keys/login-keys.ts';
import { hiddenPassword, hiddenPasswordFingerprint, passwordPurpose } from '../../management/identities/user-hidden.ts';
import { usernameClaim } from '../../management/resources/users.ts';
import type { ManagementState } from '../../management/state.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { WriteOptions } from '../../registry/verbs.ts';
import type { Sealer } from '../../seal/sealer.ts';
import { LoginRemovals, type LoginRemovalsOptions } from './login-removals.ts';

export interface LoginsOptions extends Pick<LoginRemovalsOptions, 'runOnOneServer'> {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly sealer: Sealer;
  /** Lifetime of a login in seconds. */
  readonly ttl: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenedLogin {
  readonly name: string;
  /** The secret value of the access key. Only this response contains it. */
  readonly key: string;
  readonly user: UserInfo;
  /** The name of the user. If the key belongs to no user, the name of its team or of its subject. */
  readonly owner: string;
  readonly expiresAt: number;
}

/** The fields of a login's spec that describe the provider identity with which the login was opened. */
export type IdentityLoginSpec = Pick<AccessKeySpec, 'displayName' | 'identity' | 'identityRefresh' | 'parent'>;

/** Logins are access keys of the type `Login` that the server creates and deletes. */
export interface Logins {
  /** Returns the account of the user with this metadata.name or spec.username. */
  find(username: string): PasswordAccount | undefined;
  /** Opens a login after the password was checked. Returns `undefined` if the account was changed since the check. */
  open(account: PasswordAccount): Promise<OpenedLogin | undefined>;
  /**
   * Opens a login for the holder of an access key. The login has the same owner, groups and scope as the access key,
   * and ends if the access key is changed. If the access key cannot open a login, `why` is the reason.
   */
  openWithKey(keyName: string): Promise<OpenedLogin | { readonly why: string }>;
  /**
   * Opens a login of a user with a provider identity. `identity` contains the fields of the login's spec that describe
   * the provider identity. Returns `undefined` if the user was disabled or the provider identity ended in the meantime.
   */
  openWithIdentity(user: string, identity: IdentityLoginSpec): Promise<OpenedLogin | undefined>;
  /**
   * Opens another login of the same owner and source as an active login. The new login is bound to the same password,
   * access key or provider identity as the active login, with the same groups, scope and allowed addresses. It ends no
   * later than the active login, counts as opened at the same time, and has its own key.
   */
  openBeside(keyName: string, displayName: string): Promise<OpenedLogin | { readonly why: string }>;
  /** Returns the owner and the end of a login; `undefined` if the key is not an active login. */
  describe(keyName: string): Pick<OpenedLogin, 'owner' | 'expiresAt'> | undefined;
  /**
   * Ends the login with this key, or deletes the key of a workload. Returns false for other keys. If the login was used
   * to open the login `successor`, it is not ended, because that would also end `successor`.
   */
  end(keyName: string, successor?: string): Promise<boolean>;
  /** Stops following changes. Resolves after all removals in progress have ended. */
  close(): Promise<void>;
}

/**
 * The maximum number of logins per user or per opening access key: more than a person has devices. A further login ends
 * the oldest login.
 */
export const maxLogins = 100;

const changed = { why: 'the key was changed during the login' };
const writing: WriteOptions = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore' };

export function openLogins(options: LoginsOptions): Logins {
  return new AccessKeyLogins(options);
}

class AccessKeyLogins implements Logins {
  readonly #options: LoginsOptions;
  readonly #state: ManagementState;
  readonly #removals: LoginRemovals;

  constructor(options: LoginsOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#removals = new LoginRemovals(options);
  }

  find(username: string): PasswordAccount | undefined {
    const { kinds, sealer } = this.#options;
    const user = storeOf(kinds, userKind).byClaim(usernameClaim(username))?.object;
    const name = user?.metadata.name;
    if (user === undefined || name === undefined) return undefined;
    const hidden = this.#state.userHidden(name);
    const sealed = hidden?.[hiddenPassword] ?? '';
    return {
      user: name,
      disabled: user.spec?.disabled === true || user.metadata.deletionTimestamp !== undefined,
      ...(sealed === '' ? {} : { hash: sealer.open(passwordPurpose, sealed) }),
      passwordFingerprint: hidden?.[hiddenPasswordFingerprint] ?? '',
      ...(user.spec?.allowedCIDRs === undefined ? {} : { allowedCIDRs: user.spec.allowedCIDRs }),
    };
  }

  async open({ user, passwordFingerprint }: PasswordAccount): Promise<OpenedLogin | undefined> {
    const login = await this.#create({ user, displayName: 'Login with a password' }, systemContext(''));
    return await this.#opened(
      login,
      () => (this.#state.userHidden(user)?.[hiddenPasswordFingerprint] ?? '') === passwordFingerprint,
    );
  }

  async openWithKey(keyName: string): Promise<OpenedLogin | { readonly why: string }> {
    const state = this.#state;
    const key = state.accessKey(keyName);
    if (key === undefined) return changed;
    const why = this.#reasonAgainst(key);
    if (why !== undefined) return { why };
    const mark = creatorFingerprint(keyName, state);
    const spec = { ...this.#ownerOf(key), displayName: `Login with the access key ${keyName}` };
    try {
      const login = await this.#create(spec, { ...systemContext(''), accessKey: keyName });
      const creatorFingerprint = () =>
        state.accessKeyHidden(login.metadata.name ?? '')?.[hiddenCreatorFingerprint] ?? '';
      return (await this.#opened(login, () => creatorFingerprint() === mark)) ?? changed;
    } catch (error) {
      // The opening key was deleted during the login.
      if (error instanceof StatusError && state.accessKey(keyName) === undefined) return changed;
      throw error;
    }
  }

  async openWithIdentity(user: string, identity: IdentityLoginSpec): Promise<OpenedLogin | undefined> {
    return await this.#opened(await this.#create({ user, ...identity }, systemContext('')), () => true);
  }

  async openBeside(keyName: string, displayName: string): Promise<OpenedLogin | { readonly why: string }> {
    const ended = { why: 'the login has ended' };
    const isOpen = () => this.describe(keyName) !== undefined;
    const key = this.#state.accessKey(keyName);
    const end = this.describe(keyName)?.expiresAt;
    if (key === undefined || end === undefined) return ended;
    const left = Math.floor((end - this.#options.clock.now()) / 1000);
    if (left <= 0) return ended;
    const { identity, identityRefresh, parent, scope, allowedCIDRs, user, createdBy = user } = key.spec ?? {};
    const spec: AccessKeySpec = {
      ...this.#ownerOf(key),
      ...(identity === undefined ? {} : { identity }),
      ...(identityRefresh === undefined ? {} : { identityRefresh }),
      ...(parent === undefined ? {} : { parent }),
      // Copies only the restrictions of the existing login itself. The restrictions of the access key that opened it
      // are inherited from that access key.
      ...(scope === undefined ? {} : { scope }),
      ...(allowedCIDRs === undefined ? {} : { allowedCIDRs }),
      displayName,
      ttl: Math.min(left, this.#options.ttl),
      ...(createdBy === undefined ? {} : { createdBy }),
      createdWith: keyName,
    };
    const opener = this.#openingKeyOf(key);
    const context = { ...systemContext(''), ...(opener === '' ? {} : { accessKey: opener }) };
    try {
      return (await this.#opened(await this.#create(spec, context), isOpen)) ?? ended;
    } catch (error) {
      if (error instanceof StatusError && !isOpen()) return ended;
      throw error;
    }
  }

  describe(keyName: string): Pick<OpenedLogin, 'owner' | 'expiresAt'> | undefined {
    const key = this.#state.accessKey(keyName);
    const found = key && isLogin(key) ? keyStateOf(key, this.#state) : undefined;
    if (key === undefined || !isUsableKey(found, this.#options.clock.now())) return undefined;
    const { expiresAt = Number.POSITIVE_INFINITY } = found;
    return { owner: key.spec?.[ownerMemberOf(key) ?? 'user'] ?? '', expiresAt };
  }

  async end(keyName: string, successor?: string): Promise<boolean> {
    const state = this.#state;
    const key = state.accessKey(keyName);
    if (key === undefined || !(isLogin(key) || isWorkloadKey(key))) return false;
    const isSuccessorOpenedWithIt = successor !== undefined && [...state.keysCreatedWith(keyName)].includes(successor);
    if (!isSuccessorOpenedWithIt) await this.#removals.remove(key);
    return true;
  }

  close(): Promise<void> {
    return this.#removals.close();
  }

  /** Returns the reason why a valid access key cannot open a login; `undefined` if it can open one. */
  #reasonAgainst(key: AccessKey): string | undefined {
    if (clusterOfAgentUser(key.spec?.subject ?? '') !== undefined) return 'the key belongs to an agent';
    // A login that an access key opened cannot open another login. Otherwise the limit per opening key would not apply.
    return isLogin(key) && this.#openingKeyOf(key) !== '' ? 'the key is itself a login with an access key' : undefined;
  }

  #openingKeyOf({ metadata }: AccessKey): string {
    return this.#state.accessKeyHidden(metadata.name ?? '')?.[hiddenCreatorKey]?.name ?? '';
  }

  /** Returns the owner and the granted groups of a key. The other groups of the key result from the owner. */
  #ownerOf(key: AccessKey): AccessKeySpec {
    const groups = withGrantedGroups(key, this.#state).spec?.groups ?? [];
    const { user = '', team = '', subject = '' } = key.spec ?? {};
    return {
      ...(user === '' ? {} : { user }),
      ...(team === '' ? {} : { team }),
      ...(subject === '' ? {} : { subject }),
      ...(groups.length === 0 ? {} : { groups: [...groups] }),
    };
  }

  async #create(described: AccessKeySpec, context: RequestContext): Promise<AccessKey> {
    const { kinds, ttl } = this.#options;
    const spec = { ttl, ...described, type: 'Login' };
    const metadata = { generateName: 'login-' };
    const login: AccessKey = { apiVersion: apiVersionOf(accessKeyKind), kind: accessKeyKind.kind, metadata, spec };
    const { object } = await storeOf(kinds, accessKeyKind).verbs.create(context, login, writing);
    return typedObject(accessKeyKind, object);
  }

  async #opened(login: AccessKey, isStillRight: () => boolean): Promise<OpenedLogin | undefined> {
    const found = keyStateOf(login, this.#state);
    if (!isUsableKey(found, this.#options.clock.now()) || !isStillRight()) {
      await this.#removals.remove(login);
      return undefined;
    }
    const member = ownerMemberOf(login) ?? 'user';
    const owner = login.spec?.[member] ?? '';
    await this.#endOldest(member, login);
    const { name, user, expiresAt = Number.POSITIVE_INFINITY } = found;
    return { name, key: login.spec?.key ?? '', user, owner, expiresAt };
  }

  /**
   * Ends the oldest logins above the limit. Only logins that were opened in the same way as `login` are counted and
   * ended: with the password, with the same access key, or with an identity of the same connector. A stolen access key
   * therefore cannot end logins that the password opened.
   */
  async #endOldest(member: KeyOwnerField, login: AccessKey): Promise<void> {
    const now = this.#options.clock.now();
    // The new login is excluded by its uid, so it is never ended, even if another login was created in the same second.
    const { uid } = login.metadata;
    const live = [...this.#state.accessKeysOf(member, login.spec?.[member] ?? '')].filter(
      (key) =>
        isLogin(key) &&
        key.metadata.uid !== uid &&
        this.#openingKeyOf(key) === this.#openingKeyOf(login) &&
        key.spec?.identity?.connector === login.spec?.identity?.connector &&
        accessKeyPhase(key, now) !== 'Expired',
    );
    const since = (key: AccessKey) => Date.parse(key.metadata.creationTimestamp ?? '');
    live.sort((a, b) => since(b) - since(a));
    for (const key of live.slice(maxLogins - 1)) await this.#removals.remove(key);
  }
}
