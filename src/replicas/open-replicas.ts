import type { Replicas, ReplicasOptions } from './replicas.ts';
import { SharedReplicas } from './shared-replicas.ts';
import { soleTenure } from './tenure.ts';

/** Opens the replicas of a store. If the store is not shared, this process does all work, and no rows are written. */
export function openReplicas(options: ReplicasOptions): Replicas {
  return options.store.isShared ? new SharedReplicas(options) : soleReplica;
}

/** The replica of a process that is the only one to use its store. */
export const soleReplica: Replicas = {
  start() {},
  owns: () => true,
  followPreferredShards: () => () => {},
  list: async () => ({ items: [] }),
  peers: async () => ({ members: [], former: [] }),
  run: (start) => start(soleTenure),
  reportFailedCheck() {},
  async close() {},
};
