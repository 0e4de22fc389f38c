import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import type { KubeObject } from '../api/meta.ts';
import { agentUser } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { Log } from '../lib/log.ts';
import { isOfItsOwner } from '../management/access-key-owner.ts';
import type { KindStores, ManagementState } from '../management/state.ts';
import { storeOf } from './rights-changes.ts';

export interface OrphanedKeysOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly log: Log;
}

/**
 * Removes the keys of users, teams and clusters that are gone, those too that a server left behind which ended before it had
 * done so. They open nothing from the moment on that their owner is deleted; this is for the lists they stand in. An
 * owner reference would do the same at the price of a second write for every key that is made. Returns how it ends.
 */
export function removeOrphanedKeys({ kinds, state, log }: OrphanedKeysOptions): () => Promise<void> {
  const keys = storeOf(kinds, accessKeyKind);
  const waiting: KubeObject[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;

  const run = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined && !stopped; key = waiting.shift()) {
      if (isOfItsOwner(key, state)) continue;
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
          'a key whose owner is gone could not be removed; the next start tries again',
        );
      }
    }
    running = undefined;
  };

  const remove = (found: Iterable<KubeObject>): void => {
    for (const key of found) waiting.push(key);
    if (waiting.length > 0 && !stopped) running ??= run();
  };

  const stops = (
    [
      ['user', userKind, (name: string) => name],
      ['team', teamKind, (name: string) => name],
      ['subject', clusterKind, agentUser],
    ] as const
  ).map(([member, kind, keyOwner]) =>
    storeOf(kinds, kind).listen(({ before, after }) => {
      if (after === undefined) remove(state.accessKeysOf(member, keyOwner(before?.object.metadata.name ?? '')));
    }),
  );
  for (const { object } of keys.peekAll()) if (!isOfItsOwner(object, state)) waiting.push(object);
  remove([]);

  return async () => {
    stopped = true;
    for (const stop of stops) stop();
    await running;
  };
}
