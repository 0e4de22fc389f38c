import { accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, type AccessKeySpec, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { clusterOfAgentUser } from '../../api/naming.ts';
import { typedObject } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { isUsable } from '../../auth/key-state.ts';
import type { PasswordAccount } from '../../auth/password-login.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { textAt } from '../../lib/json-path.ts';
import type { Log } from '../../lib/log.ts';
import { withGrantedGroups } from '../../management/access-keys/access-key-groups.ts';
import { hiddenCreatorFingerprint, hiddenCreatorKey } from '../../management/access-keys/access-key-hidden.ts';
import type { KeyOwnerField } from '../../management/access-keys/access-key-index.ts';
import { ownerMemberOf } from '../../management/access-keys/access-key-owner.ts';
import { keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { creatorFingerprint } from '../../management/access-keys/creator-fingerprint.ts';
import { hiddenPasswordFingerprint, isLogin, isRevokedLogin } from '../../management/access-keys/login-keys.ts';
import { hiddenPassword, passwordPurpose, usernameClaim } from '../../management/resources/users.ts';
import type { ManagementState } from '../../management/state.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { WriteOptions } from '../../registry/verbs.ts';
import type { Sealer } from '../../seal/sealer.ts';

export interface LoginsOptions {
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
  /** The value of the access key, which is returned only once. */
  readonly key: string;
  readonly user: UserInfo;
  /** The name of the user, or of the team or subject if the key has no user. */
  readonly owner: string;
  readonly expiresAt: number;
}

/** Logins are access keys of the type `Login` that the server creates and deletes. */
export interface Logins {
  /** Finds a user by name or username. */
  find(username: string): PasswordAccount | undefined;
  /** `undefined` if the account changed after its password was checked. */
  open(account: PasswordAccount): Promise<OpenedLogin | undefined>;
  /**
   * Opens a login for the holder of an access key: with the same owner, groups and scopes, and only while that key
   * stays unchanged. `why` is the reason if the key cannot open a login.
   */
  openWithKey(keyName: string): Promise<OpenedLogin | { readonly why: string }>;
  /** The owner and the expiry of a login; `undefined` if the key is not an active login. */
  describe(keyName: string): Pick<OpenedLogin, 'owner' | 'expiresAt'> | undefined;
  /** Ends the login with this key, unless `successor` was opened with it. Returns false if the key is not a login. */
  end(keyName: string, successor?: string): Promise<boolean>;
  /** Resolves when no removal is in progress. */
  close(): Promise<void>;
}

/** Maximum number of logins per user, or per key: more than a person has devices. A further login ends the oldest. */
export const maxLogins = 100;

const changed = { why: 'the key was changed during the login' };
const writing: WriteOptions = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore' };

export function openLogins(options: LoginsOptions): Logins {
  const { state, sealer, clock, log } = options;
  const users = storeOf(options.kinds, userKind);
  const keys = storeOf(options.kinds, accessKeyKind);
  const removals = new Set<Promise<void>>();

  const remove = async ({ metadata }: AccessKey): Promise<void> => {
    const { name = '', uid = '' } = metadata;
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: { uid } };
    try {
      await keys.verbs.delete(systemContext(''), name, how);
    } catch (error) {
      // It is already deleted, or another key has this name: either way this one no longer exists.
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  };

  const loginsOf = (member: KeyOwnerField, name: string) => [...state.accessKeysOf(member, name)].filter(isLogin);

  // Ended logins are rejected from the same write on; this removes them from lists.
  const removeEnded = (keysOfThem: Iterable<AccessKey>): void => {
    for (const key of keysOfThem) {
      if (!isRevokedLogin(key, state)) continue;
      const removal = remove(key).catch((error: unknown) => {
        log.warn({ accessKey: key.metadata.name, error }, 'cannot remove an ended login');
      });
      removals.add(removal);
      void removal.then(() => removals.delete(removal));
    }
  };
  const stops = [
    users.listen(({ before, after }) => {
      if (before === undefined || after === undefined) return;
      removeEnded(loginsOf('user', after.object.metadata.name ?? ''));
    }),
    keys.listen(({ before }) => {
      if (before === undefined) return;
      const created = [...state.keysCreatedWith(before.object.metadata.name ?? '')];
      removeEnded(created.map((name) => state.accessKey(name)).filter((key) => key !== undefined));
    }),
  ];

  const openingKeyOf = ({ metadata }: AccessKey) =>
    textAt(state.accessKeyHidden(metadata.name ?? ''), hiddenCreatorKey, 'name');

  /** Only logins with the same origin are ended: a stolen key must not end logins with the password. */
  const endOldest = async (member: KeyOwnerField, login: AccessKey): Promise<void> => {
    // The new login is never ended, even if others have the same creation second.
    const { uid } = login.metadata;
    const live = loginsOf(member, login.spec?.[member] ?? '').filter(
      (key) =>
        key.metadata.uid !== uid &&
        openingKeyOf(key) === openingKeyOf(login) &&
        accessKeyPhase(key, clock.now()) !== 'Expired',
    );
    const since = (key: AccessKey) => Date.parse(key.metadata.creationTimestamp ?? '');
    live.sort((a, b) => since(b) - since(a));
    for (const key of live.slice(maxLogins - 1)) await remove(key);
  };

  /** The reason why a valid key cannot open a login. */
  const reasonAgainst = (key: AccessKey): string | undefined => {
    if (clusterOfAgentUser(key.spec?.subject ?? '') !== undefined) return 'the key belongs to an agent';
    // Otherwise logins could chain without end, and the limit per key would not apply.
    return isLogin(key) && openingKeyOf(key) !== '' ? 'the key is itself a login with an access key' : undefined;
  };

  const createLogin = async (owner: AccessKeySpec, context: RequestContext): Promise<AccessKey> => {
    const spec = { ...owner, type: 'Login', ttl: options.ttl };
    const metadata = { generateName: 'login-' };
    const login: AccessKey = { apiVersion: apiVersionOf(accessKeyKind), kind: accessKeyKind.kind, metadata, spec };
    return typedObject(accessKeyKind, (await keys.verbs.create(context, login, writing)).object);
  };

  const opened = async (login: AccessKey, isStillRight: () => boolean): Promise<OpenedLogin | undefined> => {
    const found = keyStateOf(login, state);
    if (!isUsable(found, clock.now()) || !isStillRight()) {
      await remove(login);
      return undefined;
    }
    const member = ownerMemberOf(login) ?? 'user';
    const owner = login.spec?.[member] ?? '';
    await endOldest(member, login);
    const { name, user, expiresAt = Number.POSITIVE_INFINITY } = found;
    return { name, key: login.spec?.key ?? '', user, owner, expiresAt };
  };

  return {
    find(username) {
      const user = users.byClaim(usernameClaim(username))?.object;
      const name = user?.metadata.name;
      if (user === undefined || name === undefined) return undefined;
      const hidden = state.userHidden(name);
      const sealed = textAt(hidden, hiddenPassword);
      return {
        user: name,
        disabled: user.spec?.disabled === true || user.metadata.deletionTimestamp !== undefined,
        ...(sealed === '' ? {} : { hash: sealer.open(passwordPurpose, sealed) }),
        passwordFingerprint: textAt(hidden, hiddenPasswordFingerprint),
      };
    },

    async open({ user, passwordFingerprint }) {
      const login = await createLogin({ user, displayName: 'Login with a password' }, systemContext(''));
      return await opened(
        login,
        () => textAt(state.userHidden(user), hiddenPasswordFingerprint) === passwordFingerprint,
      );
    },

    async openWithKey(keyName) {
      const key = state.accessKey(keyName);
      if (key === undefined) return changed;
      const why = reasonAgainst(key);
      if (why !== undefined) return { why };
      const mark = creatorFingerprint(keyName, state);
      // Other listed groups follow from the owner.
      const groups = withGrantedGroups(key, state).spec?.groups ?? [];
      const { user = '', team = '', subject = '' } = key.spec ?? {};
      const spec: AccessKeySpec = {
        ...(user === '' ? {} : { user }),
        ...(team === '' ? {} : { team }),
        ...(subject === '' ? {} : { subject }),
        ...(groups.length === 0 ? {} : { groups: [...groups] }),
        displayName: `Login with the access key ${keyName}`,
      };
      try {
        const login = await createLogin(spec, { ...systemContext(''), accessKey: keyName });
        const creatorFingerprint = () =>
          textAt(state.accessKeyHidden(login.metadata.name ?? ''), hiddenCreatorFingerprint);
        return (await opened(login, () => creatorFingerprint() === mark)) ?? changed;
      } catch (error) {
        // The key was deleted during the login.
        if (error instanceof StatusError && state.accessKey(keyName) === undefined) return changed;
        throw error;
      }
    },

    describe(keyName) {
      const key = state.accessKey(keyName);
      const found = key && isLogin(key) ? keyStateOf(key, state) : undefined;
      if (key === undefined || !isUsable(found, clock.now())) return undefined;
      const { expiresAt = Number.POSITIVE_INFINITY } = found;
      return { owner: key.spec?.[ownerMemberOf(key) ?? 'user'] ?? '', expiresAt };
    },

    async end(keyName, successor) {
      const key = state.accessKey(keyName);
      if (key === undefined || !isLogin(key)) return false;
      const isSuccessorOpenedWithIt =
        successor !== undefined && [...state.keysCreatedWith(keyName)].includes(successor);
      if (!isSuccessorOpenedWithIt) await remove(key);
      return true;
    },

    async close() {
      for (const stop of stops) stop();
      await Promise.all(removals);
    },
  };
}
