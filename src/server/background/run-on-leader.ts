import type { Replicas } from '../../replicas/replicas.ts';
import { leaderTerm } from '../../replicas/shards.ts';
import { whileOwned } from '../../replicas/tenure.ts';
import type { RevisionCheck } from '../../store/store.ts';

/**
 * Runs work on only one of the servers that share a store. All transactions of the work must contain the check `fence`.
 * The work must call `assertCurrent` before each call to another system (`Tenure.assertCurrent`). The returned function
 * stops the work and resolves when it has stopped. If the store is not shared, the work starts immediately.
 */
export function runOnLeader(
  replicas: Replicas,
  start: (fence: RevisionCheck | undefined, assertCurrent: () => void) => () => Promise<void>,
): () => Promise<void> {
  return replicas.run((tenure) =>
    whileOwned(tenure, leaderTerm, () => start(tenure.fence, () => tenure.assertCurrent())),
  );
}
