import type { Change, Observer, WatchWakeCounter } from '../../store/store.ts';
import type { StoreError } from '../../store/store-error.ts';

export interface HeldObserverOptions {
  readonly observer: Observer;
  /** Returns the change in clear; `undefined` if a key that it needs is not known yet. */
  open(change: Change): Change | undefined;
  /** Resolves after the keys of this change are known. Rejects if the store is closed. */
  load(change: Change): Promise<void>;
  /** Returns the ID of a key that the change needs and that is not known. */
  unknownKey(change: Change): string | undefined;
  /**
   * Called when changes are held, with the ID of the unknown key and a promise that resolves after all held changes
   * were delivered.
   */
  onHeld(key: string, delivered: Promise<void>): void;
}

/**
 * Decrypts changes and passes them to an observer. If a change needs an unknown key, for example one that another
 * server has just created, this change and all later changes are held until the key is known. The observer therefore
 * gets all changes in order.
 */
export class HeldObserver implements Observer {
  readonly #options: HeldObserverOptions;
  readonly #held: Change[] = [];
  #ending: StoreError | undefined;
  #isHolding = false;

  constructor(options: HeldObserverOptions) {
    this.#options = options;
  }

  changes(changes: readonly Change[], wakes?: WatchWakeCounter): void {
    if (this.#isHolding) {
      this.#held.push(...changes);
      return;
    }
    const opened: Change[] = [];
    for (const [index, change] of changes.entries()) {
      const clear = this.#options.open(change);
      if (clear === undefined) {
        this.#held.push(...changes.slice(index));
        break;
      }
      opened.push(clear);
    }
    if (opened.length > 0) this.#options.observer.changes(opened, wakes);
    if (this.#held.length > 0) this.#hold();
  }

  ended(error: StoreError): void {
    // Drops the held changes, because the observer does not need them: it lists again, or the store is closed.
    this.#held.length = 0;
    this.#ending = error;
    this.#options.observer.ended(error);
  }

  #hold(): void {
    const [first] = this.#held;
    const key = first && this.#options.unknownKey(first);
    this.#isHolding = true;
    const delivered = this.#deliver().finally(() => {
      this.#isHolding = false;
    });
    delivered.catch(() => {});
    this.#options.onHeld(key ?? '', delivered);
  }

  async #deliver(): Promise<void> {
    for (let next = this.#held[0]; next !== undefined && this.#ending === undefined; next = this.#held[0]) {
      await this.#options.load(next);
      const opened: Change[] = [];
      for (const change of this.#held) {
        const clear = this.#options.open(change);
        if (clear === undefined) break;
        opened.push(clear);
      }
      this.#held.splice(0, opened.length);
      if (opened.length > 0) this.#options.observer.changes(opened);
    }
  }
}
