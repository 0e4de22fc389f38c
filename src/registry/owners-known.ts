import type { Store } from '../store/store.ts';
import { dependentsRange, ownersRange } from './rows.ts';
import { translated } from './store-status.ts';

/**
 * Whether objects of a plane name others as their owners. In most planes none does, and then nobody has to be asked
 * whenever an object goes. It belongs to the plane as it is loaded: all that is written into its slice is told here.
 */
export class OwnersKnown {
  #hasAny: boolean | undefined;

  /** It is known that none does. */
  get hasNone(): boolean {
    return this.#hasAny === false;
  }

  /** To be called before a dependent is written. */
  note(): void {
    this.#hasAny = true;
  }

  /** A dependent that is written at the same moment leaves a `check` of its own, so none can slip through. */
  async hasDependents(store: Store, slice: string, uid: string): Promise<boolean> {
    if (this.#hasAny === undefined) {
      const any = await translated(store.list(ownersRange(slice), { limit: 1, uncounted: true }));
      // Somebody may have written the first one meanwhile.
      this.#hasAny ??= any.entries.length > 0;
    }
    if (!this.#hasAny) return false;
    const found = await translated(store.list(dependentsRange(slice, uid), { limit: 1, uncounted: true }));
    return found.entries.length > 0;
  }
}
