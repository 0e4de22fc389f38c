import type { JSONWebKeySet } from 'jose';
import type { ActiveAccessKey } from '../api/agent/policy-feed.ts';
import { serviceUnavailable } from '../api/status.ts';
import { isWellFormedAccessKey } from '../auth/access-key-format.ts';
import { type Authenticator, createAuthenticator } from '../auth/authn.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import { decide } from '../auth/authz/decide.ts';
import { compileScope, denyAllScope, type Scope } from '../auth/authz/scope.ts';
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
  /** True while the connection to the control server is up. */
  isConnected(): boolean;
  readonly server: Pick<ControlServer, 'checkKey'>;
  /** A keyed hash whose secret never leaves this process. */
  hash(token: string): string;
  /** Calls back with the names of keys that may have changed. Returns a function that unsubscribes. */
  onKeysChanged(listener: (names: Iterable<string>) => void): () => void;
  readonly clock: Clock;
}

/** Authenticates and authorizes callers with the cached policy. Decisions equal those of the control server. */
export interface AgentAuth {
  /** `undefined` results in 401. Throws 503 for an access key that cannot be checked without the control server. */
  authenticate(token: string, signal: AbortSignal): Promise<Identity | undefined>;
  resume(key: TokenKey): Identity | undefined;
  authorize(identity: Identity, attributes: Attributes): Decision;
  /** Must be called after each line from the control server. */
  onPolicyReceived(): void;
  close(): void;
}

/** Maximum number of cached keys that were checked with the control server. */
const maxChecked = 10_000;
/** The key of a younger token may not have arrived from the control server yet. */
const youngTokenSeconds = 10;

export function createAgentAuth(options: AgentAuthOptions): AgentAuth {
  const { replica, permissionSignals, server, clock } = options;
  const checked = new Map<string, TokenKey>();
  const catchUp = createPolicyCatchUp(options);
  /** Names of deleted keys. Authentication does not wait for these keys to arrive. */
  const ended = new Set<string>();
  const stopListening = options.onKeysChanged((names) => {
    for (const name of names) {
      ended.delete(name);
      if (replica.key(name) === undefined) ended.add(name);
      const [oldest] = ended.size > maxChecked ? ended : [];
      if (oldest !== undefined) ended.delete(oldest);
    }
  });
  const stateOf = (name: string): KeyState | undefined => {
    const key = replica.key(name);
    return key && keyStateOf(key);
  };
  /** True if the key still exists with the same value. A later key of the same name does not count. */
  const isCurrent = ({ name, uid, mark }: TokenKey): boolean => {
    const key = replica.key(name);
    return key?.uid === uid && key.mark === mark;
  };
  const authenticator: Authenticator = createAuthenticator({
    // A key is looked up by its value only while connected, because only then deletions arrive at once.
    keyByHash(hash) {
      const key = options.isConnected() ? checked.get(hash) : undefined;
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
    checked.set(options.hash(token), { name, uid, mark });
    const [oldest] = checked.size > maxChecked ? checked.keys() : [];
    if (oldest !== undefined) checked.delete(oldest);
    return authenticator.authenticate(token);
  }

  async function byDirectToken(token: string): Promise<Identity | undefined> {
    const known = await directTokens.verify(token);
    if (known === undefined) await catchUp.waitUntil(() => !directTokens.hasUnknownKey(token));
    const claims = known ?? (await directTokens.verify(token));
    if (claims === undefined) return undefined;
    const { accessKey, issuedAt } = claims;
    const isYoung = issuedAt > clock.now() / 1000 - youngTokenSeconds;
    if (isYoung && !ended.has(accessKey.name)) await catchUp.waitUntil(() => isCurrent(accessKey));
    const holder = authenticator.resume(accessKey);
    if (holder === undefined || holder.user.name !== claims.subject) return undefined;
    // The groups of a token are an upper bound: lost groups are removed, gained groups are not added.
    const groups = holder.user.groups.filter((group) => claims.groups.includes(group));
    return { ...holder, user: { ...holder.user, groups }, scopes: claims.scopes, expiresAt: claims.expiresAt * 1000 };
  }

  return {
    async authenticate(token, signal) {
      if (token.split('.').length !== 3) return await byAccessKey(token, signal);
      const found = await byDirectToken(token);
      // A user-defined key value may contain two dots and look like a token.
      return found ?? (directTokens.isDirectToken(token) ? undefined : await byAccessKey(token, signal));
    },
    resume: (key) => authenticator.resume(key),
    authorize(identity, attributes) {
      const { user, system, accessKey, scopes = [] } = identity;
      const key = accessKey === undefined ? undefined : replica.key(accessKey);
      const effectiveScopes: Scope[] =
        key === undefined ? [denyAllScope] : [...key.scopes, ...scopes].map(compileScope);
      return decide({ user, system, scopes: effectiveScopes }, attributes, replica);
    },
    onPolicyReceived: () => catchUp.onPolicyReceived(),
    close() {
      stopListening();
      authenticator.close();
    },
  };
}

function keyCheckUnavailable(): Error {
  return serviceUnavailable(
    'cannot check the access key because the server is unreachable: retry later, or use a direct-endpoint token',
    5,
  );
}

const states = new WeakMap<ActiveAccessKey, KeyState>();

/** Cached, because it is needed for every request. */
function keyStateOf(key: ActiveAccessKey): KeyState {
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
