import { deadlineRange, gcRange, maintenanceSlice, reconcileRange } from '../../registry/rows/rows.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import type { Store, Transaction } from '../../store/store.ts';

/** The maximum number of rows in one list page. */
const pageSize = 500;

/** The planes that may have maintenance rows in the store. */
interface FoundPlanes {
  /**
   * Planes that may have deadline rows. These rows are ordered by time, so finding the rows of a plane requires a full
   * scan.
   */
  readonly withDeadlines: ReadonlySet<string>;
  /** Planes that may have rows for reconciles or garbage collection. */
  readonly withOtherWork: ReadonlySet<string>;
}

/**
 * Records which planes may have maintenance rows in the store. Most removed planes have no such rows, so erasing these
 * planes requires no scan. In a shared store, rows from other processes are unknown, so every plane may have rows for
 * reconciles and garbage collection. Deadline rows are not erased there; maintenance deletes them when they are due,
 * because their plane does not exist.
 */
export class PlanesWithWork {
  readonly #store: Store;
  readonly #withDeadlines = new Set<string>();
  readonly #withOtherWork = new Set<string>();
  #loaded: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Records the planes for which a transaction writes maintenance rows. Must be called before the write. */
  recordWrites({ writes }: Transaction): void {
    if (this.#store.isShared) return;
    for (const { key, value } of writes) if (value !== undefined && key.slice === maintenanceSlice) this.#add(key);
  }

  /**
   * Returns those of the given planes that may have maintenance rows. The first call scans the rows that are already
   * stored.
   */
  async findAmong(ids: ReadonlySet<string>): Promise<FoundPlanes> {
    if (this.#store.isShared) return { withDeadlines: new Set(), withOtherWork: ids };
    this.#loaded ??= this.#loadAll().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    await this.#loaded;
    const of = (known: ReadonlySet<string>) => new Set([...ids].filter((id) => known.has(id)));
    return { withDeadlines: of(this.#withDeadlines), withOtherWork: of(this.#withOtherWork) };
  }

  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#withDeadlines.delete(id);
      this.#withOtherWork.delete(id);
    }
  }

  #add({ segments: [type, first = '', second = ''] }: Key): void {
    if (type === deadlineRange.prefix[0]) this.#withDeadlines.add(second);
    else if (type === gcRange.prefix[0] || type === reconcileRange.prefix[0]) this.#withOtherWork.add(first);
  }

  async #loadAll(): Promise<void> {
    for (const range of [deadlineRange, gcRange, reconcileRange]) await this.#loadRange(range);
  }

  async #loadRange(range: KeyRange): Promise<void> {
    for (let after: Key | undefined; ; ) {
      const page = await this.#store.list(range, {
        limit: pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const { key } of page.entries) this.#add(key);
      after = page.entries.at(-1)?.key;
      if (after === undefined || page.remaining === 0) return;
    }
  }
}
