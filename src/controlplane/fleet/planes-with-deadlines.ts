import { dueRange } from '../../registry/rows.ts';
import type { Key } from '../../store/key.ts';
import type { Store, Transaction } from '../../store/store.ts';

/** Rows looked at in one go. */
const atOnce = 500;

/**
 * Which planes may have deadlines in the store. Deadlines lie in the order of their time, so those of one plane are only
 * found by a look at all of them; most planes have none, and are spared it.
 */
export class PlanesWithDeadlines {
  readonly #store: Store;
  readonly #ids = new Set<string>();
  #gathered: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** To be called before anything is written. */
  note({ writes }: Transaction): void {
    for (const { key, value } of writes) if (value !== undefined && isDeadline(key)) this.#ids.add(planeOf(key));
  }

  /** Those among these; what a process before this one wrote is read once. */
  async among(ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    this.#gathered ??= this.#gather().catch((error: unknown) => {
      this.#gathered = undefined;
      throw error;
    });
    await this.#gathered;
    return new Set([...ids].filter((id) => this.#ids.has(id)));
  }

  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#ids.delete(id);
  }

  async #gather(): Promise<void> {
    for (let after: Key | undefined; ; ) {
      const page = await this.#store.list(dueRange, {
        limit: atOnce,
        uncounted: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const { key } of page.entries) this.#ids.add(planeOf(key));
      after = page.entries.at(-1)?.key;
      if (after === undefined || page.remaining === 0) return;
    }
  }
}

function isDeadline({ slice, segments }: Key): boolean {
  return slice === dueRange.slice && segments[0] === dueRange.prefix[0];
}

function planeOf({ segments }: Key): string {
  return segments[2] ?? '';
}
