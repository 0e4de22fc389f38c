import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import type { KubeObject } from '../api/meta.ts';
import { agentUser } from '../api/naming.ts';
import type { ResourceKind } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { Log } from '../lib/log.ts';
import type { KeyOwnerMember } from '../management/access-key-index.ts';
import { hasItsMaker, isOfItsOwner } from '../management/access-key-owner.ts';
import type { ManagementState } from '../management/state.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';

export interface OrphanedKeysOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly log: Log;
}

/**
 * Removes the keys of users, teams and clusters that are gone, and those that were made with a key that is gone; those too
 * that a server left behind which ended before it had done so. They open nothing from that moment on; this is for the lists
 * they stand in, which would call them active. An owner reference would do the same at the price of a second write for every
 * key that is made. Returns how it ends.
 */
export function removeOrphanedKeys({ kinds, state, log }: OrphanedKeysOptions): () => Promise<void> {
  const keys = storeOf(kinds, accessKeyKind);
  const waiting: KubeObject[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;
  const isOrphaned = (key: KubeObject): boolean => !isOfItsOwner(key, state) || !hasItsMaker(key, state);

  const run = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined && !stopped; key = waiting.shift()) {
      if (!isOrphaned(key)) continue;
      const { name = '', uid = '' } = key.metadata;
      try {
        await keys.verbs.delete(systemContext(''), name, {
          dryRun: false,
          gracePeriodSeconds: undefined,
          propagationPolicy: undefined,
          preconditions: { uid },
        });
      } catch (error) {
        // Gone, or made anew under its name, meanwhile.
        if (error instanceof StatusError && (error.code === 404 || error.code === 409)) continue;
        log.warn(
          { accessKey: name, error },
          'a key whose owner or maker is gone could not be removed; the next start tries again',
        );
      }
    }
    running = undefined;
  };

  const remove = (found: Iterable<KubeObject>): void => {
    for (const key of found) waiting.push(key);
    if (waiting.length > 0 && !stopped) running ??= run();
  };

  const madeWith = function* (keyName: string): Iterable<KubeObject> {
    for (const name of state.keysMadeWith(keyName)) {
      const key = state.accessKey(name);
      if (key !== undefined) yield key;
    }
  };

  const owners: readonly [KeyOwnerMember, ResourceKind, (name: string) => string][] = [
    ['user', userKind, (name) => name],
    ['team', teamKind, (name) => name],
    ['subject', clusterKind, agentUser],
  ];
  const ofOwners = owners.map(([member, kind, keyOwner]) =>
    storeOf(kinds, kind).listen(({ before, after }) => {
      if (after === undefined) remove(state.accessKeysOf(member, keyOwner(before?.object.metadata.name ?? '')));
    }),
  );
  // Those further down follow, as each of them goes.
  const ofMakers = keys.listen(({ before, after }) => {
    if (after === undefined) remove(madeWith(before?.object.metadata.name ?? ''));
  });
  const stops = [...ofOwners, ofMakers];
  for (const { object } of keys.peekAll()) if (isOrphaned(object)) waiting.push(object);
  remove([]);

  return async () => {
    stopped = true;
    for (const stop of stops) stop();
    await running;
  };
}
