import type { JSONWebKeySet } from 'jose';
import type { KnownKey } from '../api/agent/policy-feed.ts';
import { serviceUnavailable } from '../api/status.ts';
import { isWellFormedAccessKey } from '../auth/access-key-format.ts';
import { type Authenticator, createAuthenticator } from '../auth/authn.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import { decide } from '../auth/authz/decide.ts';
import { closedScope, compileScope, type Scope } from '../auth/authz/scope.ts';
import type { TokenKey } from '../auth/gateway-token.ts';
import type { Identity } from '../auth/identity.ts';
import type { KeyState } from '../auth/key-state.ts';
import type { RightsSignals } from '../auth/rights-signals.ts';
import type { Clock } from '../lib/clock.ts';
import { createCatchingUp } from './catching-up.ts';
import type { Centre } from './centre.ts';
import { createDirectTokens } from './direct-tokens.ts';
import type { PolicyReplica } from './policy-replica.ts';

export interface AgentDoorOptions {
  readonly replica: PolicyReplica;
  readonly rights: RightsSignals;
  /** Whether the centre is heard now. */
  isConnected(): boolean;
  readonly centre: Pick<Centre, 'checkKey'>;
  /** A keyed hash, with a secret that nobody but this process has. */
  hash(token: string): string;
  /** Tells which keys may have changed. Returns how to stop. */
  onKeys(listener: (names: Iterable<string>) => void): () => void;
  readonly clock: Clock;
}

/** Who comes, and what they may, as far as the agent knows; the same questions have the same answers in the centre. */
export interface AgentDoor {
  /** undefined: 401. Throws 503 for an access key while nobody can say whose it is. */
  authenticate(token: string, signal: AbortSignal): Promise<Identity | undefined>;
  resume(key: TokenKey): Identity | undefined;
  authorize(identity: Identity, attributes: Attributes): Decision;
  /** To be called when the centre was heard. */
  heard(): void;
  close(): void;
}

/** Keys that were checked with the centre: their hashes, and which they are. */
const mostChecked = 10_000;
/** A token that is younger may be of a key that the centre has not told of yet. */
const youngSeconds = 10;

export function createAgentDoor(options: AgentDoorOptions): AgentDoor {
  const { replica, rights, centre, clock } = options;
  const checked = new Map<string, TokenKey>();
  const catchingUp = createCatchingUp(options);
  /** Keys that were there and are no more: nobody waits for those. */
  const ended = new Set<string>();
  const stopListening = options.onKeys((names) => {
    for (const name of names) {
      ended.delete(name);
      if (replica.key(name) === undefined) ended.add(name);
      const [oldest] = ended.size > mostChecked ? ended : [];
      if (oldest !== undefined) ended.delete(oldest);
    }
  });
  const stateOf = (name: string): KeyState | undefined => {
    const key = replica.key(name);
    return key && keyStateOf(key);
  };
  /** The same one with the same value: a later one of that name, or one with another value, was not shown here. */
  const isThere = ({ name, uid, mark }: TokenKey): boolean => {
    const key = replica.key(name);
    return key?.uid === uid && key.mark === mark;
  };
  const authenticator: Authenticator = createAuthenticator({
    // A key is looked up by its value only while the centre tells at once of one that ends.
    lookup(hash) {
      const key = options.isConnected() ? checked.get(hash) : undefined;
      return key && isThere(key) ? stateOf(key.name) : undefined;
    },
    current: stateOf,
    markOf: ({ version }) => version,
    hash: options.hash,
    isWellFormed: isWellFormedAccessKey,
    clock,
    rights,
    onUse() {},
    onChange: options.onKeys,
  });
  const directTokens = createDirectTokens({
    keys: () => replica.signingKeys as unknown as JSONWebKeySet,
    issuer: () => replica.frame?.installation ?? '',
    clock,
  });

  async function byAccessKey(token: string, signal: AbortSignal): Promise<Identity | undefined> {
    const known = authenticator.authenticate(token);
    if (known !== undefined || !isWellFormedAccessKey(token)) return known;
    if (!options.isConnected()) throw uncheckable();
    const found = await centre.checkKey(token, signal).catch(() => {
      throw uncheckable();
    });
    if (found === undefined) return undefined;
    const { name, uid, mark } = found;
    await catchingUp.until(() => isThere(found));
    checked.set(options.hash(token), { name, uid, mark });
    const [oldest] = checked.size > mostChecked ? checked.keys() : [];
    if (oldest !== undefined) checked.delete(oldest);
    return authenticator.authenticate(token);
  }

  async function byDirectToken(token: string): Promise<Identity | undefined> {
    const known = await directTokens.read(token);
    if (known === undefined) await catchingUp.until(() => !directTokens.isAhead(token));
    const claims = known ?? (await directTokens.read(token));
    if (claims === undefined) return undefined;
    const { accessKey, issuedAt } = claims;
    const isYoung = issuedAt > clock.now() / 1000 - youngSeconds;
    if (isYoung && !ended.has(accessKey.name)) await catchingUp.until(() => isThere(accessKey));
    const holder = authenticator.resume(accessKey);
    if (holder === undefined || holder.user.name !== claims.subject) return undefined;
    // The groups of a token are an upper bound: what was lost since is lost, and what was gained is not in it.
    const groups = holder.user.groups.filter((group) => claims.groups.includes(group));
    return { ...holder, user: { ...holder.user, groups }, scopes: claims.scopes, ends: claims.expiresAt * 1000 };
  }

  return {
    async authenticate(token, signal) {
      if (token.split('.').length !== 3) return await byAccessKey(token, signal);
      const found = await byDirectToken(token);
      // Whoever chose the value of a key may have put two dots into it.
      return found ?? (directTokens.isOne(token) ? undefined : await byAccessKey(token, signal));
    },
    resume: (key) => authenticator.resume(key),
    authorize(identity, attributes) {
      const { user, system, accessKey, scopes = [] } = identity;
      const key = accessKey === undefined ? undefined : replica.key(accessKey);
      const narrowing: Scope[] = key === undefined ? [closedScope] : [...key.scopes, ...scopes].map(compileScope);
      return decide({ user, system, scopes: narrowing }, attributes, replica);
    },
    heard: () => catchingUp.heard(),
    close() {
      stopListening();
      authenticator.close();
    },
  };
}

function uncheckable(): Error {
  return serviceUnavailable(
    'an access key is checked with the central server, which cannot be reached now: come with a direct-endpoint token, or later',
    5,
  );
}

const states = new WeakMap<KnownKey, KeyState>();

/** Asked for with every request. */
function keyStateOf(key: KnownKey): KeyState {
  const known = states.get(key);
  if (known !== undefined) return known;
  const { name, uid, mark, user, scopes, expiresAt } = key;
  const state: KeyState = {
    name,
    uid,
    user,
    disabled: false,
    version: mark,
    scopes: scopes.length === 0 ? '' : JSON.stringify(scopes),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  states.set(key, state);
  return state;
}
