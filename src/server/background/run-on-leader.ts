import type { Replicas } from '../../replicas/replicas.ts';
import { leaderTerm } from '../../replicas/shards.ts';
import { whileOwned } from '../../replicas/tenure.ts';
import type { RevisionCheck } from '../../store/store.ts';

/**
 * Runs work on only one of the servers that share a store. All its transactions must contain the check `fence`, and it must
 * call `assertCurrent` before each call to another system (`Tenure.assertCurrent`). Returns a function that ends this and
 * resolves after the work has stopped. If the store is not shared, the work starts immediately.
 */
export function runOnLeader(
  replicas: Replicas,
  start: (fence: RevisionCheck | undefined, assertCurrent: () => void) => () => Promise<void>,
): () => Promise<void> {
  return replicas.run((tenure) =>
    whileOwned(tenure, leaderTerm, () => start(tenure.fence, () => tenure.assertCurrent())),
  );
}
