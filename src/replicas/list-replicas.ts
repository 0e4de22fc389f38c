import type { ReplicaList } from '../api/replicas/replica-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import { isHeld, readReplicaRows } from './replica-rows.ts';
import { outdatedReplicas } from './schema-upgrade.ts';
import { leaderTerm } from './shards.ts';
import { readSchema } from './store-schema.ts';

/** Returns the schema of the store and the state of all registered replicas, sorted by name. `id` is this replica. */
export async function listReplicas(
  store: Pick<Store, 'get' | 'list'>,
  id: string,
  clock: Clock,
): Promise<Required<Pick<ReplicaList, 'schema' | 'items'>>> {
  const [rows, { schema }] = await Promise.all([readReplicaRows(store), readSchema(store)]);
  const outdated = new Set(outdatedReplicas(rows).replicas);
  const now = clock.now();
  const held = new Map<string, string[]>();
  for (const [term, { row }] of rows.terms) {
    if (isHeld(rows, row)) held.set(row.holder, [...(held.get(row.holder) ?? []), term]);
  }
  const settings = rows.members.get(id)?.row.settings;
  const items = [...rows.members]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { row }]) => {
      const beat = rows.beats.get(name)?.row;
      const terms = held.get(name) ?? [];
      const isLeader = terms.includes(leaderTerm);
      return {
        name,
        isThis: name === id,
        version: row.version,
        address: row.address,
        isLeader,
        shards: terms.length - Number(isLeader),
        ...(beat?.caches === undefined
          ? {}
          : { revision: beat.caches.revision, lagSeconds: beat.caches.ageMs / 1_000 }),
        // A heartbeat of a live replica may be up to a second old; this age is not clock skew.
        clockSkewSeconds: beat === undefined ? 0 : skewSeconds(beat.time - now),
        hasSameSettings: row.settings === settings,
        schemas: row.schemas,
        isOutdated: outdated.has(name),
      };
    });
  return { schema, items };
}

/** The age of a heartbeat that is normal: its interval and the time for writing it, in milliseconds. */
const usualBeatAgeMs = 1_500;

/**
 * Returns the clock skew in seconds: the part of the time difference that the normal age of a heartbeat does not
 * explain.
 */
function skewSeconds(differenceMs: number): number {
  if (differenceMs >= -usualBeatAgeMs && differenceMs <= 0) return 0;
  return (differenceMs < 0 ? differenceMs + usualBeatAgeMs : differenceMs) / 1_000;
}
