import type { Clock } from '../../lib/clock.ts';
import { StartError } from '../../process/start-error.ts';
import { readReplicaRows, replicasSlice } from '../../replicas/replica-rows.ts';
import { maxSilenceMs } from '../../replicas/replica-timing.ts';
import type { KeyRange } from '../../store/key.ts';
import type { Change, Store } from '../../store/store.ts';

const beats: KeyRange = { slice: replicasSlice, prefix: ['beats'] };

/**
 * Throws StartError if a server uses the store. A server that was killed is still registered, but no longer writes
 * heartbeats. The check therefore takes a few seconds.
 */
export async function assertNoServers(store: Store, clock: Clock): Promise<void> {
  const { revision } = await store.list(beats);
  const { members } = await readReplicaRows(store);
  if (members.size === 0) return;
  const id = await nextBeat(store, revision, clock);
  if (id === undefined) return;
  const address = members.get(id)?.row.address ?? '';
  throw new StartError(
    `the server ${id}${address === '' ? '' : ` at ${address}`} uses the store; stop all servers, and try again`,
  );
}

/**
 * Waits for a server to replace its heartbeat row. Returns the ID of this server; `undefined` if no server does so in
 * time.
 */
async function nextBeat(store: Store, since: number, clock: Clock): Promise<string | undefined> {
  let [stop, cancel] = [() => {}, () => {}];
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const observer = {
        changes: (changes: readonly Change[]) => {
          const beat = changes.find(({ value }) => value !== undefined);
          if (beat !== undefined) resolve(beat.key.segments[1]);
        },
        ended: reject,
      };
      store.observe(beats, since, observer).then((stopObserving) => {
        stop = stopObserving;
        cancel = clock.after(maxSilenceMs, () => resolve(undefined));
      }, reject);
    });
  } finally {
    stop();
    cancel();
  }
}
