import { accessKeyPhase } from '../api/management/access-key-life.ts';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { userKind } from '../api/management/v1/user.ts';
import { apiVersionOf, type KubeObject } from '../api/meta.ts';
import { clusterOfAgent } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import { isUsable } from '../auth/key-state.ts';
import type { PasswordAccount } from '../auth/password-login.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { Clock } from '../lib/clock.ts';
import { flagAt, textAt, textsAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Log } from '../lib/log.ts';
import { withGivenGroups } from '../management/access-key-groups.ts';
import { hiddenMadeWith, hiddenMakerMark } from '../management/access-key-hidden.ts';
import type { KeyOwnerMember } from '../management/access-key-index.ts';
import { ownerMembers } from '../management/access-key-owner.ts';
import { keyStateOf } from '../management/access-key-state.ts';
import { hiddenPasswordMark, isEndedLogin, isLogin } from '../management/login-keys.ts';
import { makerMark } from '../management/maker-mark.ts';
import { hiddenPassword, passwordPurpose, usernameClaim } from '../management/resources/users.ts';
import type { ManagementState } from '../management/state.ts';
import type { RequestContext } from '../registry/context.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import type { WriteOptions } from '../registry/verbs.ts';
import type { Sealer } from '../seal/sealer.ts';

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
  /** The name of the user whose login it is; of a login that is none's, the team's or subject's. */
  readonly owner: string;
  readonly expiresAt: number;
}

/** Logins as access keys of the type `Login`, which the server makes and ends by itself. */
export interface Logins {
  /** By name or username. */
  find(username: string): PasswordAccount | undefined;
  /** undefined: what was true of the account when its password was checked is so no more. */
  open(account: PasswordAccount): Promise<OpenedLogin | undefined>;
  /**
   * For whoever has just shown the key of that name: the same user, team or subject, groups and scopes, for as long as
   * that key is what it is now. `why`: it opens none.
   */
  openWith(keyName: string): Promise<OpenedLogin | { readonly why: string }>;
  /** Whose login that is, and when it ends; undefined: none that opens anything now. */
  about(keyName: string): Pick<OpenedLogin, 'owner' | 'expiresAt'> | undefined;
  /** Ends the login with this key, unless `successor` was opened with it. False: the key is no login's. */
  end(keyName: string, successor?: string): Promise<boolean>;
  /** Resolves when nothing is being removed any more. */
  close(): Promise<void>;
}

/** Logins of one user at a time, or with one key; a further one ends the oldest. More than all the devices that anybody has. */
export const mostLogins = 100;

const changed = { why: 'it was changed meanwhile' };
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

  const loginsOf = (member: KeyOwnerMember, name: string) => [...state.accessKeysOf(member, name)].filter(isLogin);

  // What has ended opens nothing from that very write on; here it goes from the lists.
  const removeEnded = (keysOfThem: Iterable<KubeObject>): void => {
    for (const key of keysOfThem) {
      if (!isEndedLogin(key, state)) continue;
      const removal = remove(key).catch((error: unknown) => {
        log.warn({ accessKey: key.metadata.name, error }, 'a login that has ended could not be removed');
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
      const made = [...state.keysMadeWith(before.object.metadata.name ?? '')];
      removeEnded(made.map((name) => state.accessKey(name)).filter((key) => key !== undefined));
    }),
  ];

  const openerOf = ({ metadata }: KubeObject) =>
    textAt(state.accessKeyHidden(metadata.name ?? ''), hiddenMadeWith, 'name');

  /** Of those that were opened in the same way: who has one of somebody's keys cannot end logins with their password. */
  const endOldest = async (member: KeyOwnerMember, made: KubeObject): Promise<void> => {
    // It is the newest, whatever its second says: whoever has just signed in is not signed out again by it.
    const { uid } = made.metadata;
    const live = loginsOf(member, textAt(made, 'spec', member)).filter(
      (key) =>
        key.metadata.uid !== uid && openerOf(key) === openerOf(made) && accessKeyPhase(key, clock.now()) !== 'Expired',
    );
    const since = (key: KubeObject) => Date.parse(key.metadata.creationTimestamp ?? '');
    live.sort((a, b) => since(b) - since(a));
    for (const key of live.slice(mostLogins - 1)) await remove(key);
  };

  /** Why a good key opens no login all the same. */
  const unfit = (key: KubeObject): string | undefined => {
    if (clusterOfAgent(textAt(key, 'spec', 'subject')) !== undefined) return 'it is an agent’s';
    // Or one could open the next without end, and none of them would count for the same key.
    return isLogin(key) && openerOf(key) !== '' ? 'it came from a login with an access key itself' : undefined;
  };

  const make = async (whose: JsonObject, context: RequestContext): Promise<KubeObject> => {
    const spec = { ...whose, type: 'Login', ttl: options.ttl };
    const metadata = { generateName: 'login-' };
    const login = { apiVersion: apiVersionOf(accessKeyKind), kind: accessKeyKind.kind, metadata, spec } as KubeObject;
    return (await keys.verbs.create(context, login, writing)).object;
  };

  const opened = async (made: KubeObject, isStillRight: () => boolean): Promise<OpenedLogin | undefined> => {
    const found = keyStateOf(made, state);
    if (!isUsable(found, clock.now()) || !isStillRight()) {
      await remove(made);
      return undefined;
    }
    const member = ownerMemberOf(made);
    const owner = textAt(made, 'spec', member);
    await endOldest(member, made);
    const { name, user, expiresAt = Number.POSITIVE_INFINITY } = found;
    return { name, key: textAt(made, 'spec', 'key'), user, owner, expiresAt };
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
      const made = await make({ user, displayName: 'Login with a password' }, systemContext(''));
      return await opened(made, () => textAt(state.userHidden(user), hiddenPasswordMark) === mark);
    },

    async openWith(keyName) {
      const key = state.accessKey(keyName);
      if (key === undefined) return changed;
      const why = unfit(key);
      if (why !== undefined) return { why };
      const mark = makerMark(keyName, state);
      // What else it lists follows its owner.
      const groups = textsAt(withGivenGroups(key, state), 'spec', 'groups');
      const owner = ownerMembers.map((member) => [member, textAt(key, 'spec', member)]);
      const spec = {
        ...Object.fromEntries(owner.filter(([, name]) => name !== '')),
        ...(groups.length === 0 ? {} : { groups: [...groups] }),
        displayName: `Login with the access key ${keyName}`,
      };
      try {
        const made = await make(spec, { ...systemContext(''), accessKey: keyName });
        const madeUnder = () => textAt(state.accessKeyHidden(made.metadata.name ?? ''), hiddenMakerMark);
        return (await opened(made, () => madeUnder() === mark)) ?? changed;
      } catch (error) {
        // It went while the login was made.
        if (error instanceof StatusError && state.accessKey(keyName) === undefined) return changed;
        throw error;
      }
    },

    about(keyName) {
      const key = state.accessKey(keyName);
      const found = key && isLogin(key) ? keyStateOf(key, state) : undefined;
      if (key === undefined || !isUsable(found, clock.now())) return undefined;
      const { expiresAt = Number.POSITIVE_INFINITY } = found;
      return { owner: textAt(key, 'spec', ownerMemberOf(key)), expiresAt };
    },

    async end(keyName, successor) {
      const key = state.accessKey(keyName);
      if (key === undefined || !isLogin(key)) return false;
      const isNeeded = successor !== undefined && [...state.keysMadeWith(keyName)].includes(successor);
      if (!isNeeded) await remove(key);
      return true;
    },

    async close() {
      for (const stop of stops) stop();
      await Promise.all(removals);
    },
  };
}

function ownerMemberOf(key: KubeObject): KeyOwnerMember {
  return ownerMembers.find((member) => textAt(key, 'spec', member) !== '') ?? 'user';
}
