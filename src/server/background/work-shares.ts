import type { WorkShare } from '../../controllers/runtime/work-share.ts';
import { leaderTerm, shardOf } from '../../replicas/shards.ts';
import type { Tenure } from '../../replicas/tenure.ts';

/**
 * The parts of the controllers' work that this server does. Both members are `undefined` if no other server uses the
 * store.
 */
export interface WorkShares {
  /** The share of controllers whose keys are divided into shards. */
  readonly sharded: WorkShare | undefined;
  /** The share of controllers that run on the leader only. */
  readonly leader: WorkShare | undefined;
}

export function workSharesIn(tenure: Tenure): WorkShares {
  if (tenure.fence === undefined) return { sharded: undefined, leader: undefined };
  return { sharded: shareOf(tenure, shardOf), leader: shareOf(tenure, () => leaderTerm) };
}

function shareOf(tenure: Tenure, termOf: (key: string) => string): WorkShare {
  return {
    owns: (key) => tenure.owns(termOf(key)),
    onGained: (listener) => tenure.onGained(listener),
    register: (isRunning) => tenure.addWork({ isBusy: (term) => isRunning((key) => termOf(key) === term) }),
  };
}
