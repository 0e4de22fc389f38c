import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';

import { agentUser } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Log } from '../../lib/log.ts';
import type { KeyOwnerField } from '../../management/access-keys/access-key-index.ts';
import { belongsToCurrentOwner, hasCreatorKey } from '../../management/access-keys/access-key-owner.ts';
import type { ManagementState } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { RevisionCheck } from '../../store/store.ts';

export interface OrphanedKeysOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  /** The check that every deletion includes (`RequestContext.fence`). */
  readonly fence: RevisionCheck | undefined;
  readonly log: Log;
}

/**
 * Deletes orphaned access keys: keys of deleted users, teams and clusters, and keys that were created with a deleted
 * key. Also deletes orphaned keys that remain from an earlier run of the server. The server already rejects orphaned
 * keys, but lists would show them as active. The keys have no owner references for the garbage collector, because
 * setting an owner reference would require a second write per created key. Returns a function that stops the deletion.
 */
export function removeOrphanedKeys({ kinds, state, fence, log }: OrphanedKeysOptions): () => Promise<void> {
  const keys = storeOf(kinds, accessKeyKind);
  const queue: AccessKey[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;
  const isOrphaned = (key: AccessKey): boolean => !belongsToCurrentOwner(key, state) || !hasCreatorKey(key, state);

  const run = async (): Promise<void> => {
    for (let key = queue.shift(); key !== undefined && !stopped; key = queue.shift()) {
      if (!isOrphaned(key)) continue;
      const { name = '', uid = '' } = key.metadata;
      try {
        await keys.verbs.delete(systemContext('', undefined, fence), name, {
          dryRun: false,
          gracePeriodSeconds: undefined,
          propagationPolicy: undefined,
          preconditions: { uid },
        });
      } catch (error) {
        // With 404, the key was already deleted. With 409, it was deleted and a new key has its name.
        if (error instanceof StatusError && (error.code === 404 || error.code === 409)) continue;
        log.warn({ accessKey: name, error }, 'cannot remove an orphaned access key; the next start retries');
      }
    }
    running = undefined;
  };

  const remove = (found: Iterable<AccessKey>): void => {
    for (const key of found) queue.push(key);
    if (queue.length > 0 && !stopped) running ??= run();
  };

  const keysCreatedWith = function* (keyName: string): Iterable<AccessKey> {
    for (const name of state.keysCreatedWith(keyName)) {
      const key = state.accessKey(name);
      if (key !== undefined) yield key;
    }
  };

  const owners: readonly [KeyOwnerField, ResourceKind, (name: string) => string][] = [
    ['user', userKind, (name) => name],
    ['team', teamKind, (name) => name],
    ['subject', clusterKind, agentUser],
  ];
  const ownerListeners = owners.map(([member, kind, keyOwner]) =>
    storeOf(kinds, kind).listen(({ before, after }) => {
      if (after === undefined) remove(state.accessKeysOf(member, keyOwner(before?.object.metadata.name ?? '')));
    }),
  );
  // The deletion of a key triggers the deletion of the keys that were created with it.
  const creatorListener = keys.listen(({ before, after }) => {
    if (after === undefined) remove(keysCreatedWith(before?.object.metadata.name ?? ''));
  });
  const stops = [...ownerListeners, creatorListener];
  for (const { object } of keys.peekAll()) if (isOrphaned(object)) queue.push(object);
  remove([]);

  return async () => {
    stopped = true;
    for (const stop of stops) stop();
    await running;
  };
}
