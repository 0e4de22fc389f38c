import { accessKeyEnd } from '../api/management/access-key-life.ts';
import { type KubeObject, timestamp } from '../api/meta.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { KeyState } from '../auth/key-state.ts';
import { flagAt, objectAt, textAt } from '../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';
import { withGivenGroups } from './access-key-groups.ts';
import { hiddenInheritedScopes, hiddenKeyHash, hiddenMadeWith } from './access-key-hidden.ts';
import { isOfItsOwner, keyOwner } from './access-key-owner.ts';
import { identityOf } from './identity.ts';
import { isEndedLogin, isLogin } from './login-keys.ts';
import type { ManagementState } from './state.ts';

export function accessKeyClaim(hash: string): string {
  return `hash:${hash}`;
}

type Known = Pick<
  ManagementState,
  'accessKey' | 'accessKeyHidden' | 'user' | 'userHidden' | 'team' | 'teamsOf' | 'cluster'
>;

/**
 * An access key as authentication sees it. A key that was made with another one lives no longer than that one: its
 * end is the earliest of the chain, and one link that is disabled, gone or nobody's any more ends all that hang on it.
 * `latestUse` tells of uses that no status shows yet.
 */
export function keyStateOf(
  key: KubeObject,
  state: Known,
  latestUse: (keyName: string) => number | undefined = () => undefined,
): KeyState {
  const name = key.metadata.name ?? '';
  const hidden = state.accessKeyHidden(name);
  const known = knownIdentity(key, hidden, state);
  if (known.state !== undefined) return known.state;
  const user = known.identity;
  let disabled = false;
  let end: number | undefined;
  let broken = user === undefined || isEndedLogin(key, state);
  const seen = new Set<string>();
  for (let link: KubeObject | undefined = key; link !== undefined; ) {
    const linkName: string = link.metadata.name ?? '';
    if (seen.has(linkName)) break;
    seen.add(linkName);
    disabled ||= flagAt(link, 'spec', 'disabled');
    end = earliest(end, accessKeyEnd(usedAt(link, latestUse(linkName))));
    const deletion = link.metadata.deletionTimestamp;
    if (deletion !== undefined) end = earliest(end, Date.parse(deletion));
    const maker: JsonObject | undefined = objectAt(state.accessKeyHidden(linkName), hiddenMadeWith);
    if (maker === undefined) break;
    link = state.accessKey(textAt(maker, 'name'));
    if (link?.metadata.uid !== textAt(maker, 'uid') || ownerIdentity(link, state) === undefined) {
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
    version: textAt(hidden, hiddenKeyHash),
    scopes: scopesText(key, state),
  };
  if (standsAlone(key, hidden)) known.state = found;
  return found;
}

/** Whether what `keyStateOf` gave for it last stays true for as long as `keysVersion` is the same. */
export function hasLastingState(key: KubeObject): boolean {
  return identities.get(key)?.state !== undefined;
}

/** Whether nothing else is looked at than what the identity follows from: no other key, no password, no time of use. */
function standsAlone(key: KubeObject, hidden: JsonObject | undefined): boolean {
  if (isLogin(key) || flagAt(key, 'spec', 'ttlAfterLastActivity')) return false;
  return objectAt(hidden, hiddenMadeWith) === undefined;
}

/** Everything that an identity follows from, and what follows. */
interface KnownIdentity {
  readonly hidden: JsonObject | undefined;
  readonly owner: KubeObject | undefined;
  readonly teams: readonly string[];
  readonly identity: UserInfo | undefined;
  /** Of a key that stands alone. */
  state: KeyState | undefined;
}

/** By the version of the key. */
const identities = new WeakMap<KubeObject, KnownIdentity>();

function ownerIdentity(key: KubeObject, state: Known): UserInfo | undefined {
  return knownIdentity(key, state.accessKeyHidden(key.metadata.name ?? ''), state).identity;
}

/** Asked for by every authentication: what it follows from is nearly always what it was for the request before. */
function knownIdentity(key: KubeObject, hidden: JsonObject | undefined, state: Known): KnownIdentity {
  const owner = keyOwner(key, state);
  const teams = state.teamsOf(textAt(key, 'spec', 'user'));
  const known = identities.get(key);
  if (known !== undefined && known.hidden === hidden && known.owner === owner && isSameList(known.teams, teams)) {
    return known;
  }
  const identity = isOfItsOwner(key, state) ? identityOf(withGivenGroups(key, state), state) : undefined;
  const found: KnownIdentity = { hidden, owner, teams, identity, state: undefined };
  identities.set(key, found);
  return found;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((item, index) => item === other[index]));
}

/** Only the end of a key that has one asks for its last use. */
function usedAt(key: KubeObject, used: number | undefined): KubeObject {
  if (used === undefined || !flagAt(key, 'spec', 'ttlAfterLastActivity')) return key;
  return { ...key, status: { ...objectAt(key, 'status'), lastActivity: timestamp(used) } };
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** Of one version of a key; its hidden part changes with it. */
const scopeTexts = new WeakMap<KubeObject, string>();

/** Asked for by every authentication. */
function scopesText(key: KubeObject, state: Pick<ManagementState, 'accessKeyHidden'>): string {
  const known = scopeTexts.get(key);
  if (known !== undefined) return known;
  const scopes = scopesOf(key, state);
  const text = scopes.length === 0 ? '' : JSON.stringify(scopes);
  scopeTexts.set(key, text);
  return text;
}

/** All scopes that narrow a key: its own, and those of the keys that it was made with. All of them must allow. */
export function scopesOf(key: KubeObject, state: Pick<ManagementState, 'accessKeyHidden'>): readonly JsonObject[] {
  const own = objectAt(key, 'spec', 'scope');
  const inherited = state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenInheritedScopes];
  return [
    ...(own === undefined ? [] : [own]),
    ...(Array.isArray(inherited) ? inherited.filter((scope) => isJsonObject(scope)) : []),
  ];
}
