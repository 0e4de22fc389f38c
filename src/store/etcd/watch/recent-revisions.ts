import type { Revision } from '../../store.ts';
import type { Commit } from './commit-assembler.ts';

/**
 * The highest delivered revisions of the slices that have changed since the store was opened. An observer that
 * continues from a current list can use these revisions instead of a request to etcd.
 */
export class RecentRevisions {
  readonly #bySlice = new Map<string, Revision>();
  /** Slices without a recorded revision have not changed after this revision. */
  #start: Revision;

  constructor(start: Revision) {
    this.#start = start;
  }

  noteCommit({ logged, removedSlices }: Commit): void {
    for (const { change } of logged) this.#bySlice.set(change.key.slice, change.revision);
    for (const slice of removedSlices) this.#bySlice.delete(slice);
  }

  /** Must be called if changes up to this revision were missed. */
  restart(start: Revision): void {
    this.#bySlice.clear();
    this.#start = start;
  }

  /** True if no change of the slice after `since` was delivered. Later changes are delivered to new observers. */
  isUnchangedSince(slice: string, since: Revision): boolean {
    return since >= (this.#bySlice.get(slice) ?? this.#start);
  }
}
