import type { Clock } from '../../lib/clock.ts';
import { readReplicaRows } from '../../replicas/replica-rows.ts';
import { SealError } from '../../seal/open-sealer.ts';
import type { RootKeys } from '../../seal/root/root-keys.ts';
import type { Store } from '../../store/store.ts';

/** The interval in milliseconds at which the seal key file is read again, to announce its keys to other servers. */
const refreshMs = 2_000;

/**
 * Returns a function that announces the root keys of this server to other servers; `undefined` if they are in a KMS.
 * The function reads the seal key file again in the background.
 */
export async function announcedRootKeys(
  { ids }: Pick<RootKeys, 'ids'>,
  clock: Clock,
): Promise<() => readonly string[] | undefined> {
  if (ids === undefined) return () => undefined;
  let known = await ids();
  let readAt = clock.elapsed();
  const read = async () => {
    // A server that cannot read its seal key file announces no keys.
    known = await ids().catch(() => []);
  };
  return () => {
    if (clock.elapsed() - readAt >= refreshMs) {
      readAt = clock.elapsed();
      void read();
    }
    return known;
  };
}

/** Throws SealError if another server of the store has announced root keys that do not include `rootKey`. */
export async function assertReplicasHaveKey(store: Pick<Store, 'list'>, rootKey: string): Promise<void> {
  const { members, beats } = await readReplicaRows(store);
  const without = [...members.keys()].filter((id) => {
    const keys = beats.get(id)?.row.rootKeys;
    return keys !== undefined && !keys.includes(rootKey);
  });
  if (without.length === 0) return;
  throw new SealError(
    `these servers do not have the seal key ${rootKey}: ${without.join(', ')}; copy the seal key file to them, and try again after a few seconds`,
  );
}
