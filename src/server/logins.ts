import { accessKeyEnd, accessKeyPhase } from '../api/management/access-key-life.ts';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { userKind } from '../api/management/v1/user.ts';
import { apiVersionOf, type KubeObject } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { PasswordAccount } from '../auth/password-login.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { Clock } from '../lib/clock.ts';
import { flagAt, textAt } from '../lib/json-path.ts';
import type { Log } from '../lib/log.ts';
import { keyStateOf } from '../management/access-key-state.ts';
import { hiddenPasswordMark, isEndedLogin, isLogin } from '../management/login-keys.ts';
import { hiddenPassword, passwordPurpose, usernameClaim } from '../management/resources/users.ts';
import type { KindStores, ManagementState } from '../management/state.ts';
import type { WriteOptions } from '../registry/verbs.ts';
import type { Sealer } from '../seal/sealer.ts';
import { storeOf } from './rights-changes.ts';

export interface LoginsOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly sealer: Sealer;
  /** How long a login lasts, in seconds. */
  readonly ttl: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenedLogin {
  readonly name: string;
  /** The access key itself; told once. */
  readonly key: string;
  readonly user: UserInfo;
  readonly expiresAt: number;
}

/** Logins as access keys of the type `Login`, which the server makes and ends by itself. */
export interface Logins {
  /** By name or username. */
  find(username: string): PasswordAccount | undefined;
  /** undefined: what was true of the account when its password was checked is so no more. */
  open(account: PasswordAccount): Promise<OpenedLogin | undefined>;
  /** Ends the login with this key. False: the key is no login's. */
  end(keyName: string): Promise<boolean>;
  /** Resolves when nothing is being removed any more. */
  close(): Promise<void>;
}

/** Logins of one user at a time; a further one ends the oldest. More than all the devices that anybody has. */
export const mostLogins = 100;

const writing: WriteOptions = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore' };

export function openLogins(options: LoginsOptions): Logins {
  const { state, sealer, clock, log } = options;
  const users = storeOf(options.kinds, userKind);
  const keys = storeOf(options.kinds, accessKeyKind);
  const removals = new Set<Promise<void>>();

  const remove = async ({ metadata }: KubeObject): Promise<void> => {
    const { name = '', uid = '' } = metadata;
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: { uid } };
    try {
      await keys.verbs.delete(systemContext(''), name, how);
    } catch (error) {
      // Gone already, or another key of the same name: either way this one is no more.
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  };

  const loginsOf = (user: string) => [...state.accessKeysOf('user', user)].filter(isLogin);

  // A login from before a change of the password opens nothing from that very write on; here it goes from the lists.
  const stopListening = users.listen(({ before, after }) => {
    if (before === undefined || after === undefined) return;
    for (const key of loginsOf(after.object.metadata.name ?? '')) {
      if (!isEndedLogin(key, state)) continue;
      const removal = remove(key).catch((error: unknown) => {
        log.warn({ accessKey: key.metadata.name, error }, 'a login that has ended could not be removed');
      });
      removals.add(removal);
      void removal.then(() => removals.delete(removal));
    }
  });

  const endOldest = async (user: string): Promise<void> => {
    const live = loginsOf(user).filter((key) => accessKeyPhase(key, clock.now()) !== 'Expired');
    const since = (key: KubeObject) => Date.parse(key.metadata.creationTimestamp ?? '');
    live.sort((a, b) => since(b) - since(a));
    for (const key of live.slice(mostLogins)) await remove(key);
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
        disabled: flagAt(user, 'spec', 'disabled') || user.metadata.deletionTimestamp !== undefined,
        ...(sealed === '' ? {} : { hash: sealer.open(passwordPurpose, sealed) }),
        mark: textAt(hidden, hiddenPasswordMark),
      };
    },

    async open({ user, mark }) {
      const spec = { type: 'Login', user, ttl: options.ttl, displayName: 'Login with a password' };
      const object = { apiVersion: apiVersionOf(accessKeyKind), kind: accessKeyKind.kind, metadata: {}, spec };
      const named = { ...object, metadata: { generateName: 'login-' } } as KubeObject;
      const made = (await keys.verbs.create(systemContext(''), named, writing)).object;
      const found = keyStateOf(made, state);
      const isStillRight = textAt(state.userHidden(user), hiddenPasswordMark) === mark;
      if (found.user === undefined || !isStillRight) {
        await remove(made);
        return undefined;
      }
      await endOldest(user);
      const expiresAt = accessKeyEnd(made) ?? Number.POSITIVE_INFINITY;
      return { name: found.name, key: textAt(made, 'spec', 'key'), user: found.user, expiresAt };
    },

    async end(keyName) {
      const key = state.accessKey(keyName);
      if (key === undefined || !isLogin(key)) return false;
      await remove(key);
      return true;
    },

    async close() {
      stopListening();
      await Promise.all(removals);
    },
  };
}
