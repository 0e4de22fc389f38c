import type { Store } from '../../store/store.ts';
import { dependentsRange, ownersRange } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';

/**
 * Tracks whether any object of a plane has an owner reference. Most planes have none, and then removing an object needs
 * no query for dependents. It belongs to the loaded plane: all writes to its slice are reported here.
 */
export class OwnerTracker {
  #hasAny: boolean | undefined;

  /** True if the plane is known to have no owner references. */
  get hasNoOwners(): boolean {
    return this.#hasAny === false;
  }

  /** Must be called before a dependent is written. */
  markOwned(): void {
    this.#hasAny = true;
  }

  /** A dependent that is written concurrently leaves its own `check`, so none is missed. */
  async hasDependents(store: Store, slice: string, uid: string): Promise<boolean> {
    if (this.#hasAny === undefined) {
      const any = await withStatusErrors(store.list(ownersRange(slice), { limit: 1, skipCount: true }));
      // The first dependent may have been written during the query.
      this.#hasAny ??= any.entries.length > 0;
    }
    if (!this.#hasAny) return false;
    const found = await withStatusErrors(store.list(dependentsRange(slice, uid), { limit: 1, skipCount: true }));
    return found.entries.length > 0;
  }
}
