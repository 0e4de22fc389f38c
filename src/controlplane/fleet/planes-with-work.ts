import { dueRange, gcRange, pendingRange, upkeepSlice } from '../../registry/rows.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import type { Store, Transaction } from '../../store/store.ts';

/** Rows looked at in one go. */
const atOnce = 500;

/** Which planes have had work for upkeep in the store. */
interface PlanesFound {
  /** Their deadlines lie in the order of their time: those of one plane are only found by a look at all of them. */
  readonly dated: ReadonlySet<string>;
  /** They may have something pending, or garbage. */
  readonly busy: ReadonlySet<string>;
}

/** Which planes may have work for upkeep in the store. Most that are removed have none, and are spared the search for it. */
export class PlanesWithWork {
  readonly #store: Store;
  readonly #dated = new Set<string>();
  readonly #busy = new Set<string>();
  #gathered: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** To be called before anything is written. */
  note({ writes }: Transaction): void {
    for (const { key, value } of writes) if (value !== undefined && key.slice === upkeepSlice) this.#add(key);
  }

  /** Those among these; what a process before this one wrote is read once. */
  async among(ids: ReadonlySet<string>): Promise<PlanesFound> {
    this.#gathered ??= this.#gather().catch((error: unknown) => {
      this.#gathered = undefined;
      throw error;
    });
    await this.#gathered;
    const of = (known: ReadonlySet<string>) => new Set([...ids].filter((id) => known.has(id)));
    return { dated: of(this.#dated), busy: of(this.#busy) };
  }

  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#dated.delete(id);
      this.#busy.delete(id);
    }
  }

  #add({ segments: [what, first = '', second = ''] }: Key): void {
    if (what === dueRange.prefix[0]) this.#dated.add(second);
    else if (what === gcRange.prefix[0] || what === pendingRange.prefix[0]) this.#busy.add(first);
  }

  async #gather(): Promise<void> {
    for (const range of [dueRange, gcRange, pendingRange]) await this.#gatherIn(range);
  }

  async #gatherIn(range: KeyRange): Promise<void> {
    for (let after: Key | undefined; ; ) {
      const page = await this.#store.list(range, {
        limit: atOnce,
        uncounted: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const { key } of page.entries) this.#add(key);
      after = page.entries.at(-1)?.key;
      if (after === undefined || page.remaining === 0) return;
    }
  }
}
