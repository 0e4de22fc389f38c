import { accessKeyExpiry } from '../../api/management/access-key-expiry.ts';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { Scope } from '../../api/management/v1/scope.ts';
import type { User } from '../../api/management/v1/user.ts';
import { timestamp } from '../../api/meta.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { KeyState } from '../../auth/key-state.ts';
import { isResetKey } from '../accounts/reset-keys.ts';
import { accessKeyIdentity } from '../identity.ts';
import type { ManagementState } from '../state.ts';
import { keeperOf } from './access-key-creator.ts';
import { withGrantedGroups } from './access-key-groups.ts';
import { type AccessKeyHidden, hiddenCreatorKey, hiddenInheritedScopes } from './access-key-hidden.ts';
import { belongsToCurrentOwner, keyOwner } from './access-key-owner.ts';
import { followedUserObjects } from './followed-groups.ts';
import { isLogin, isRefreshKey, isRevokedLogin } from './login-keys.ts';
import { valueVersionOf } from './renewed-logins.ts';

export function accessKeyClaim(hash: string): string {
  return `hash:${hash}`;
}

type StateLookups = Pick<
  ManagementState,
  'accessKey' | 'accessKeyHidden' | 'user' | 'userHidden' | 'passwordsEnabled' | 'team' | 'teamsOf' | 'cluster'
>;

/**
 * Returns the state of an access key that authentication needs. A key depends on the chain of keys that created it: it
 * expires together with the first key in this chain that expires, and it is invalid if a key in the chain is disabled,
 * deleted or without a valid owner. `latestUse` returns uses that are not stored in the status yet.
 */
export function keyStateOf(
  key: AccessKey,
  state: StateLookups,
  latestUse: (keyName: string) => number | undefined = () => undefined,
): KeyState {
  const name = key.metadata.name ?? '';
  const hidden = state.accessKeyHidden(name);
  const cached = cachedIdentity(key, hidden, state);
  if (cached.state !== undefined) return cached.state;
  const user = cached.identity;
  let disabled = false;
  let end: number | undefined;
  let broken = user === undefined || isRevokedLogin(key, state) || isResetKey(key);
  const addresses: (readonly string[])[] = [];
  const seen = new Set<string>();
  for (let link: AccessKey | undefined = key; link !== undefined; ) {
    const linkName: string = link.metadata.name ?? '';
    if (seen.has(linkName)) break;
    seen.add(linkName);
    disabled ||= link.spec?.disabled === true || isRefreshKey(link);
    addresses.push(...addressRanges(link, state));
    end = earliest(end, accessKeyExpiry(withLastUse(link, latestUse(linkName))));
    const deletion = link.metadata.deletionTimestamp;
    if (deletion !== undefined) end = earliest(end, Date.parse(deletion));
    const creator: AccessKeyHidden[typeof hiddenCreatorKey] = state.accessKeyHidden(linkName)?.[hiddenCreatorKey];
    if (creator === undefined) break;
    link = state.accessKey(creator.name);
    const isSame = link?.metadata.uid === creator.uid;
    if (link === undefined || !isSame || ownerIdentity(link, state) === undefined || isRevokedLogin(link, state)) {
      broken = true;
      break;
    }
  }
  const found: KeyState = {
    name,
    uid: key.metadata.uid ?? '',
    user: broken ? undefined : user,
    ...(end === undefined ? {} : { expiresAt: end }),
    disabled,
    version: valueVersionOf(hidden),
    scopes: scopesText(key, state),
    ...(addresses.length === 0 ? {} : { addresses: JSON.stringify(addresses) }),
  };
  if (isIndependent(key, hidden)) cached.state = found;
  return found;
}

/**
 * Returns the lists of allowed address ranges: the list of the key, and the list of its user. For a team's key, the
 * second list is that of its keeper, the team member on whom the key depends; otherwise the member could avoid this
 * list with a team's key. An empty list does not restrict requests.
 */
function addressRanges(key: AccessKey, state: Pick<StateLookups, 'user' | 'accessKeyHidden'>): (readonly string[])[] {
  const user = state.user(key.spec?.user ?? '') ?? keeperUser(key, state);
  return [key.spec?.allowedCIDRs ?? [], user?.spec?.allowedCIDRs ?? []].filter((list) => list.length > 0);
}

function keeperUser(key: AccessKey, state: Pick<StateLookups, 'user' | 'accessKeyHidden'>): User | undefined {
  const keeper = keeperOf(key, state);
  return keeper === undefined ? undefined : state.user(keeper);
}

/** True if the result of `keyStateOf` for this key is cached. The result stays valid until `keysVersion` changes. */
export function hasCachedState(key: AccessKey): boolean {
  return identities.get(key)?.state !== undefined;
}

/** True if the state of the key does not depend on another key, on a password or on the time of its last use. */
function isIndependent(key: AccessKey, hidden: AccessKeyHidden | undefined): boolean {
  if (isLogin(key) || key.spec?.ttlAfterLastActivity === true) return false;
  return hidden?.[hiddenCreatorKey] === undefined;
}

/** The cached identity of a key, and the inputs from which it was computed. */
interface CachedIdentity {
  readonly hidden: AccessKeyHidden | undefined;
  readonly owner: ReturnType<typeof keyOwner>;
  readonly keeper: User | undefined;
  /** The users on whom groups of the key depend. */
  readonly followed: readonly (User | undefined)[];
  readonly teams: readonly string[];
  readonly identity: UserInfo | undefined;
  /** The cached state of the key. Set only if the state has no other inputs than the identity. */
  state: KeyState | undefined;
}

/**
 * The cached identity of each key object. A changed key is a new JavaScript object, so the cache contains no outdated
 * identity for it.
 */
const identities = new WeakMap<AccessKey, CachedIdentity>();

function ownerIdentity(key: AccessKey, state: StateLookups): UserInfo | undefined {
  return cachedIdentity(key, state.accessKeyHidden(key.metadata.name ?? ''), state).identity;
}

/**
 * Returns the identity of a key. The identity is cached, because every authentication needs it and its inputs rarely
 * change.
 */
function cachedIdentity(key: AccessKey, hidden: AccessKeyHidden | undefined, state: StateLookups): CachedIdentity {
  const owner = keyOwner(key, state);
  const keeper = keeperUser(key, state);
  const followed = followedUserObjects(key, state);
  const teams = state.teamsOf(key.spec?.user ?? '');
  const cached = identities.get(key);
  const isCurrent = cached?.hidden === hidden && cached?.owner === owner && cached?.keeper === keeper;
  if (cached !== undefined && isCurrent && isSameList(cached.teams, teams) && isSameList(cached.followed, followed))
    return cached;
  const identity = belongsToCurrentOwner(key, state)
    ? accessKeyIdentity(withGrantedGroups(key, state), state)
    : undefined;
  const found: CachedIdentity = { hidden, owner, keeper, followed, teams, identity, state: undefined };
  identities.set(key, found);
  return found;
}

function isSameList<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one === other || (one.length === other.length && one.every((item, index) => item === other[index]));
}

/**
 * Sets the last activity of a key to `used` if this time is more recent and the expiry of the key depends on its last
 * activity.
 */
function withLastUse(key: AccessKey, used: number | undefined): AccessKey {
  if (used === undefined || key.spec?.ttlAfterLastActivity !== true) return key;
  return { ...key, status: { ...key.status, lastActivity: timestamp(used) } };
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/**
 * The scopes of each key object as text. A changed key, even if only its hidden part changed, is a new JavaScript
 * object, so no entry is outdated.
 */
const scopeTexts = new WeakMap<AccessKey, string>();

/** Returns the scopes of a key as text. Cached, because every authentication calls it. */
function scopesText(key: AccessKey, state: Pick<ManagementState, 'accessKeyHidden'>): string {
  const cached = scopeTexts.get(key);
  if (cached !== undefined) return cached;
  const scopes = scopesOf(key, state);
  const text = scopes.length === 0 ? '' : JSON.stringify(scopes);
  scopeTexts.set(key, text);
  return text;
}

/**
 * Returns the scopes of a key: its own scopes, and those inherited from its creator key. A request is allowed only if
 * all of these scopes allow it.
 */
export function scopesOf(
  key: Pick<AccessKey, 'metadata' | 'spec'>,
  state: Pick<ManagementState, 'accessKeyHidden'>,
): readonly Scope[] {
  const own = key.spec?.scope ?? undefined;
  const inherited = state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenInheritedScopes] ?? [];
  return own === undefined ? inherited : [own, ...inherited];
}
