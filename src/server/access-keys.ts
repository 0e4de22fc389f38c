import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { type KubeObject, timestamp } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import { isWellFormedAccessKey } from '../auth/access-key-format.ts';
import { type Authenticator, createAuthenticator } from '../auth/authn.ts';
import type { KeyState } from '../auth/key-state.ts';
import { createLastActivity, type LastActivity } from '../auth/last-activity.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { Clock } from '../lib/clock.ts';
import { objectAt, textAt } from '../lib/json-path.ts';
import { equalJson, type JsonValue } from '../lib/json-value.ts';
import type { Log } from '../lib/log.ts';
import { accessKeyClaim, keyStateOf, scopesOf } from '../management/access-key-state.ts';
import type { KindStores, ManagementState } from '../management/state.ts';
import type { KindChange, KindStore } from '../registry/kind-store.ts';
import { resourceKey } from '../registry/rows.ts';

export interface AccessKeysOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  /** The hash under which the kind keeps values. */
  hash(token: string): string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AccessKeys {
  readonly authenticator: Authenticator;
  /** Ends all sessions and writes what is left to write. */
  close(): Promise<void>;
}

/** Authentication over the stored access keys: look-up, sessions that end with their key, and when keys were used. */
export function openAccessKeys(options: AccessKeysOptions): AccessKeys {
  const { state, clock, log } = options;
  const keys = storeOf(options.kinds, accessKeyKind);
  const activity = createLastActivity({
    clock,
    log,
    write: (name, time) => writeLastActivity(keys, name, time),
    written: (name) => lastActivityOf(keys.peek('', name)?.object),
  });
  const authenticator = createAuthenticator({
    lookup: (hash) => lookUp(keys, state, activity, hash),
    hash: options.hash,
    isWellFormed: isWellFormedAccessKey,
    clock,
    onUse: (name) => activity.used(name),
    onChange: (listener) => listenToRights(options.kinds, listener),
  });
  return {
    authenticator,
    async close() {
      authenticator.close();
      await activity.close();
    },
  };
}

function lookUp(keys: KindStore, state: ManagementState, activity: LastActivity, hash: string): KeyState | undefined {
  const key = keys.byClaim(accessKeyClaim(hash))?.object;
  if (key === undefined) return undefined;
  const used = activity.latest(key.metadata.name ?? '');
  const current =
    used === undefined ? key : { ...key, status: { ...objectAt(key, 'status'), lastActivity: timestamp(used) } };
  const keyState = keyStateOf(current, state);
  return { ...keyState, version: `${keyState.version} ${JSON.stringify(scopesOf(key, state))}` };
}

/**
 * A change of one key, user or team can end the sessions of others too (a key made with it, a member of it), so
 * every session is looked at again. When keys were used is written often and ends nothing: it is passed over.
 */
function listenToRights(kinds: KindStores, listener: () => void): () => void {
  const onChange = (change: KindChange): void => {
    if (!isStatusOnly(change)) listener();
  };
  const stops = [accessKeyKind, userKind, teamKind].map((kind) => storeOf(kinds, kind).listen(onChange));
  return () => {
    for (const stop of stops) stop();
  };
}

function isStatusOnly({ before, after }: KindChange): boolean {
  if (before === undefined || after === undefined) return false;
  const same = (member: (object: KubeObject) => JsonValue | undefined): boolean =>
    equalJson(member(before.object), member(after.object));
  return (
    before.object.metadata.uid === after.object.metadata.uid &&
    before.object.metadata.generation === after.object.metadata.generation &&
    before.object.metadata.deletionTimestamp === after.object.metadata.deletionTimestamp &&
    same((object) => object.spec) &&
    !same((object) => object.status)
  );
}

async function writeLastActivity(keys: KindStore, name: string, time: number): Promise<void> {
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

function lastActivityOf(key: KubeObject | undefined): number | undefined {
  const time = key === undefined ? Number.NaN : Date.parse(textAt(key, 'status', 'lastActivity'));
  return Number.isNaN(time) ? undefined : time;
}

function storeOf(kinds: KindStores, kind: ResourceKind): KindStore {
  const store = kinds.get(resourceKey(kind));
  if (store === undefined) throw new Error(`the control plane has no store for ${kind.plural}`);
  return store;
}
