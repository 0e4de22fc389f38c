import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { timestamp } from '../../api/meta.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import { isWellFormedAccessKey } from '../../auth/access-key-format.ts';
import { type Authenticator, createAuthenticator } from '../../auth/authn.ts';
import type { KeyState } from '../../auth/key-state.ts';
import { createLastActivityRecorder } from '../../auth/last-activity-recorder.ts';
import { createPermissionSignals } from '../../auth/permission-signals.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { accessKeyClaim, hasCachedState, keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { isAppSession } from '../../management/access-keys/app-session-keys.ts';
import type { ManagementState } from '../../management/state.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { ServedObject } from '../../registry/verbs.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { runOnLeader } from '../background/run-on-leader.ts';
import { removeOrphanedKeys } from './orphaned-keys.ts';
import { onKeyChanges, onPermissionChanges } from './permission-changes.ts';

export interface AccessKeysOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  /** Returns the hash under which an AccessKey object stores the secret value. */
  hash(token: string): string;
  readonly replicas: Replicas;
  /** True if other replicas use the same store. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AccessKeys {
  readonly authenticator: Authenticator;
  /** Returns the current authentication state of the access key with this name. */
  current(keyName: string): KeyState | undefined;
  /** Ends all sessions and writes the pending times of last use. */
  close(): Promise<void>;
}

const cacheLimits = { most: 10_000, longest: 1_000 };

/**
 * Authenticates requests with stored access keys. Ends the sessions of a key that is deleted or changed, and records
 * when each key was last used.
 */
export function openAccessKeys(options: AccessKeysOptions): AccessKeys {
  const { kinds, state, replicas, clock, log } = options;
  const keys = storeOf(kinds, accessKeyKind);
  const activity = createLastActivityRecorder({
    clock,
    log,
    write: (name, time) => writeLastActivity(keys, name, time),
    storedTime: (name) => lastActivityOf(keys.peek('', name)?.object),
    ...(options.isShared ? { maxUnwrittenMilliseconds: (name) => maxUnwrittenUse(keys.peek('', name)?.object) } : {}),
    expiresByInactivity: (name) => keys.peek('', name)?.object.spec?.ttlAfterLastActivity === true,
  });
  const stateOf = (key: ServedObject<AccessKey> | undefined): KeyState | undefined =>
    key === undefined ? undefined : keyStateOf(key.object, state, (name) => activity.latestUse(name));
  const current = (name: string) => stateOf(keys.peek('', name));
  const permissionSignals = createPermissionSignals(clock);
  /** The states of recently used keys, by the hash of the key. The cache saves a lookup per request. */
  let cachedStates = new BoundedCache<KeyState>(cacheLimits);
  let cachedVersion = state.keysVersion();
  const lookup = (hash: string): KeyState | undefined => {
    if (cachedVersion !== state.keysVersion()) {
      cachedStates = new BoundedCache(cacheLimits);
      cachedVersion = state.keysVersion();
    }
    const known = cachedStates.get(hash);
    if (known !== undefined) return known;
    const key = keys.byClaim(accessKeyClaim(hash));
    const found = key === undefined || isAppSession(key.object) ? undefined : stateOf(key);
    if (key !== undefined && found !== undefined && hasCachedState(key.object)) cachedStates.set(hash, found);
    return found;
  };
  const authenticator = createAuthenticator({
    keyByHash: lookup,
    keyByName: current,
    hash: options.hash,
    isWellFormed: isWellFormedAccessKey,
    clock,
    permissionSignals: permissionSignals,
    onUse: (name) => activity.recordUse(name),
    onChange: (listener) => onKeyChanges(kinds, state, listener),
  });
  const stopListening = onPermissionChanges(kinds, (affected) => permissionSignals.notifyPrincipals(affected));
  const stopRemoving = runOnLeader(replicas, (fence) => removeOrphanedKeys({ kinds, state, fence, log }));
  return {
    authenticator,
    current,
    async close() {
      stopListening();
      authenticator.close();
      permissionSignals.close();
      await stopRemoving();
      await activity.close();
    },
  };
}

async function writeLastActivity(
  keys: KindStore<FieldsOf<typeof accessKeyKind>>,
  name: string,
  time: number,
): Promise<void> {
  const before = lastActivityOf(keys.peek('', name)?.object);
  if (before !== undefined && before >= time) return;
  const patch = { type: 'merge', document: { status: { lastActivity: timestamp(time) } }, findings: [] } as const;
  try {
    await keys.status?.patch(systemContext(''), name, patch, {
      dryRun: false,
      fieldManager: 'flotilla',
      fieldValidation: 'Ignore',
      force: false,
    });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}

/**
 * Returns the time for which uses of a key may stay unwritten, in milliseconds: a quarter of the period without use
 * after which the key expires. `undefined` if the key does not expire when unused.
 */
function maxUnwrittenUse(key: AccessKey | undefined): number | undefined {
  const { ttl, ttlAfterLastActivity } = key?.spec ?? {};
  return ttlAfterLastActivity === true && ttl !== undefined ? (ttl * 1000) / 4 : undefined;
}

function lastActivityOf(key: AccessKey | undefined): number | undefined {
  const time = Date.parse(key?.status?.lastActivity ?? '');
  return Number.isNaN(time) ? undefined : time;
}
