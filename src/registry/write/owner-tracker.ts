import type { Store } from '../../store/store.ts';
import { dependentsRange, ownersRange } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';

/**
 * Tracks whether any object of a plane has an owner reference. Most planes have none, so that removing an object needs
 * no query for dependents. Each loaded plane has one tracker, which all writes to the plane must notify.
 */
export class OwnerTracker {
  #hasAny: boolean | undefined;

  /** True if it is known that no object of the plane has an owner reference. */
  get hasNoOwners(): boolean {
    return this.#hasAny === false;
  }

  /** Records that an object has an owner reference. Must be called before this object is written. */
  markOwned(): void {
    this.#hasAny = true;
  }

  /**
   * True if an object names the object with this uid as its owner. A dependent that is written at the same time is not
   * missed, because its own write requests a check by the garbage collector.
   */
  async hasDependents(store: Store, slice: string, uid: string): Promise<boolean> {
    if (this.#hasAny === undefined) {
      const any = await withStatusErrors(store.list(ownersRange(slice), { limit: 1, skipCount: true }));
      // `markOwned` may have been called during the query. The value that it has set must not be overwritten.
      this.#hasAny ??= any.entries.length > 0;
    }
    if (!this.#hasAny) return false;
    const found = await withStatusErrors(store.list(dependentsRange(slice, uid), { limit: 1, skipCount: true }));
    return found.entries.length > 0;
  }
}
