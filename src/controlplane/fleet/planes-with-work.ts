import { deadlineRange, gcRange, maintenanceSlice, reconcileRange } from '../../registry/rows/rows.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import type { Store, Transaction } from '../../store/store.ts';

/** The number of rows that one page lists. */
const pageSize = 500;

/** The planes that have had maintenance work in the store. */
interface FoundPlanes {
  /** Deadlines are ordered by time: finding those of one plane requires a scan of all of them. */
  readonly withDeadlines: ReadonlySet<string>;
  /** Planes that may have pending reconciles or garbage. */
  readonly withOtherWork: ReadonlySet<string>;
}

/** Tracks which planes may have maintenance work in the store. Most removed planes have none and need no scan. */
export class PlanesWithWork {
  readonly #store: Store;
  readonly #withDeadlines = new Set<string>();
  readonly #withOtherWork = new Set<string>();
  #loaded: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Records the planes that a transaction leaves work for. Call it before the write. */
  recordWrites({ writes }: Transaction): void {
    for (const { key, value } of writes) if (value !== undefined && key.slice === maintenanceSlice) this.#add(key);
  }

  /** Returns which of these planes may have work. The first call reads the rows that earlier processes have left. */
  async findAmong(ids: ReadonlySet<string>): Promise<FoundPlanes> {
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
