import type { JSONWebKeySet } from 'jose';
import type { ActiveAccessKey } from '../api/agent/policy-feed.ts';
import { serviceUnavailable } from '../api/status.ts';
import { isWellFormedAccessKey } from '../auth/access-key-format.ts';
import { type Authenticator, createAuthenticator } from '../auth/authn.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import { decide } from '../auth/authz/decide.ts';
import { type CompiledScope, compileScope, denyAllScope } from '../auth/authz/scope.ts';
import type { DirectTokenClaims } from '../auth/direct-token.ts';
import type { TokenKey } from '../auth/gateway-token.ts';
import type { Identity } from '../auth/identity.ts';
import type { KeyState } from '../auth/key-state.ts';
import type { PermissionSignals } from '../auth/permission-signals.ts';
import type { Clock } from '../lib/clock.ts';
import type { ControlServer } from './control-server.ts';
import { createDirectTokenVerifier } from './direct-token-verifier.ts';
import { createPolicyCatchUp } from './policy/policy-catch-up.ts';
import type { PolicyReplica } from './policy/policy-replica.ts';

export interface AgentAuthOptions {
  readonly replica: PolicyReplica;
  readonly permissionSignals: PermissionSignals;
  /** True while the agent is connected to the control server. */
  isConnected(): boolean;
  readonly server: Pick<ControlServer, 'checkKey'>;
  /** Hashes a token with a secret that never leaves this process. Cache entries are stored under this hash. */
  hash(token: string): string;
  /** Calls the listener with the names of access keys that may have changed. Returns a function that unsubscribes. */
  onKeysChanged(listener: (names: Iterable<string>) => void): () => void;
  readonly clock: Clock;
}

/**
 * Authenticates and authorizes the callers of an agent with the policy that the agent cached from the control server.
 * The decisions are the same as those of the control server.
 */
export interface AgentAuth {
  /**
   * Returns the identity of the caller; `undefined` if the token is invalid (401). Throws 503 for an access key that
   * only the control server can check, if the control server is unreachable.
   */
  authenticate(token: string, signal: AbortSignal): Promise<Identity | undefined>;
  resume(key: TokenKey): Identity | undefined;
  authorize(identity: Identity, attributes: Attributes): Decision;
  /** Must be called after each policy line that the control server sends, because requests may wait for that line. */
  onPolicyReceived(): void;
  close(): void;
}

/** The maximum number of cached access keys. The cache contains keys that the control server has confirmed. */
const maxConfirmedKeys = 10_000;
/**
 * The maximum age of a young token, in seconds since its issue. A young token may belong to a new access key that the
 * agent has not received yet, so authentication waits for that key.
 */
const youngTokenSeconds = 10;

export function createAgentAuth(options: AgentAuthOptions): AgentAuth {
  const { replica, permissionSignals, server, clock } = options;
  const confirmedKeys = new Map<string, TokenKey>();
  const catchUp = createPolicyCatchUp(options);
  const deletedKeys = new DeletedKeys();
  const stopListening = options.onKeysChanged((names) => {
    for (const name of names) deletedKeys.update(name, replica.key(name) === undefined);
  });
  const stateOf = (name: string): KeyState | undefined => {
    const key = replica.key(name);
    return key && keyStateOf(key);
  };
  /** True if the access key exists and is unchanged. A newer key of the same name is a different key. */
  const isCurrent = ({ name, uid, mark }: TokenKey): boolean => {
    const key = replica.key(name);
    return key?.uid === uid && key.mark === mark;
  };
  const authenticator: Authenticator = createAuthenticator({
    // Use a key that was found by its value only while the agent is connected. Otherwise the deletion of the key may
    // not have arrived.
    keyByHash(hash) {
      const key = options.isConnected() ? confirmedKeys.get(hash) : undefined;
      return key && isCurrent(key) ? stateOf(key.name) : undefined;
    },
    keyByName: stateOf,
    fingerprintOf: ({ version }) => version,
    hash: options.hash,
    isWellFormed: isWellFormedAccessKey,
    clock,
    permissionSignals: permissionSignals,
    onUse() {},
    onChange: options.onKeysChanged,
  });
  const directTokens = createDirectTokenVerifier({
    keys: () => replica.signingKeys as unknown as JSONWebKeySet,
    issuer: () => replica.header?.installation ?? '',
    clock,
  });

  async function byAccessKey(token: string, signal: AbortSignal): Promise<Identity | undefined> {
    const known = authenticator.authenticate(token);
    if (known !== undefined || !isWellFormedAccessKey(token)) return known;
    if (!options.isConnected()) throw keyCheckUnavailable();
    const found = await server.checkKey(token, signal).catch(() => {
      throw keyCheckUnavailable();
    });
    if (found === undefined) return undefined;
    const { name, uid, mark } = found;
    await catchUp.waitUntil(() => isCurrent(found));
    confirmedKeys.set(options.hash(token), { name, uid, mark });
    const [oldest] = confirmedKeys.size > maxConfirmedKeys ? confirmedKeys.keys() : [];
    if (oldest !== undefined) confirmedKeys.delete(oldest);
    return authenticator.authenticate(token);
  }

  async function byDirectToken(token: string): Promise<Identity | undefined> {
    const known = await directTokens.verify(token);
    if (known === undefined) await catchUp.waitUntil(() => !directTokens.hasUnknownKey(token));
    const claims = known ?? (await directTokens.verify(token));
    if (claims === undefined) return undefined;
    const { accessKey, issuedAt } = claims;
    const isYoung = issuedAt > clock.now() / 1000 - youngTokenSeconds;
    if (isYoung && !deletedKeys.has(accessKey.name)) await catchUp.waitUntil(() => isCurrent(accessKey));
    const holder = authenticator.authenticateByKey(accessKey);
    if (holder === undefined || holder.user.name !== claims.subject) return undefined;
    return identityWithin(holder, claims);
  }

  return {
    async authenticate(token, signal) {
      if (token.split('.').length !== 3) return await byAccessKey(token, signal);
      const found = await byDirectToken(token);
      // Users can choose the values of access keys, so an access key may contain two dots without being a JWT.
      return found ?? (directTokens.isDirectToken(token) ? undefined : await byAccessKey(token, signal));
    },
    resume: (key) => authenticator.authenticateByKey(key),
    authorize: (identity, attributes) => decideWithPolicy(identity, attributes, replica),
    onPolicyReceived: () => catchUp.onPolicyReceived(),
    close() {
      stopListening();
      authenticator.close();
    },
  };
}

/** The names of deleted access keys. Authentication does not wait for a key whose name is in this set. */
class DeletedKeys {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Records whether the access key is deleted. Forgets the oldest deletion if there are too many. */
  update(name: string, isDeleted: boolean): void {
    this.#names.delete(name);
    if (isDeleted) this.#names.add(name);
    const [oldest] = this.#names.size > maxConfirmedKeys ? this.#names : [];
    if (oldest !== undefined) this.#names.delete(oldest);
  }
}

/** Decides with the cached policy. An access key that is not in the policy has no permissions. */
function decideWithPolicy(identity: Identity, attributes: Attributes, replica: PolicyReplica): Decision {
  const { user, system, accessKey, scopes = [] } = identity;
  const key = accessKey === undefined ? undefined : replica.key(accessKey);
  const effectiveScopes: CompiledScope[] =
    key === undefined ? [denyAllScope] : [...key.scopes, ...scopes].map(compileScope);
  return decide({ user, system, scopes: effectiveScopes }, attributes, replica);
}

/** Returns the identity of a token: the key's holder, restricted to the groups, scopes and lifetime of the token. */
function identityWithin(holder: Identity, claims: DirectTokenClaims): Identity {
  // The groups in a token are an upper bound: the caller loses a group that the user has left, but does not gain a
  // group that the user joined after the token was issued.
  const groups = holder.user.groups.filter((group) => claims.groups.includes(group));
  return { ...holder, user: { ...holder.user, groups }, scopes: claims.scopes, expiresAt: claims.expiresAt * 1000 };
}

function keyCheckUnavailable(): Error {
  return serviceUnavailable(
    'cannot check the access key because the server is unreachable: retry later, or use a direct-endpoint token',
    5,
  );
}

const states = new WeakMap<ActiveAccessKey, KeyState>();

/** Converts an access key from the policy to the form that the authenticator uses, and caches the result. */
function keyStateOf(key: ActiveAccessKey): KeyState {
  const known = states.get(key);
  if (known !== undefined) return known;
  const { name, uid, mark, user, scopes, expiresAt, addresses } = key;
  const state: KeyState = {
    name,
    uid,
    user,
    disabled: false,
    version: mark,
    scopes: scopes.length === 0 ? '' : JSON.stringify(scopes),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(addresses === undefined ? {} : { addresses: JSON.stringify(addresses) }),
  };
  states.set(key, state);
  return state;
}
