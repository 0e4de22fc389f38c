import type { LoggedChange } from './embedded/stage.ts';
import { encodeRange, type KeyRange } from './key.ts';
import type { Change, Observer, WatchWakeCounter } from './store.ts';
import type { StoreError } from './store-error.ts';

interface Subscription {
  readonly slice: string;
  readonly observer: Observer;
  active: boolean;
}

/**
 * Delivers changes to observers, synchronously and in the order of publication. Finding the observers of a change takes
 * one lookup per key segment, independent of the number of observers. Observers must not throw. `catchUp`, which adds
 * all observers, guarantees this.
 */
export class ObserverHub {
  /** Subscriptions by the encoded prefix of their range. For a change, every prefix of its key is looked up. */
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  /**
   * The number of subscribed prefixes, by length. A prefix of a key is looked up only if a subscribed prefix has the
   * same length.
   */
  readonly #lengths = new Map<number, number>();
  readonly #waiting: { readonly changes: readonly LoggedChange[]; readonly wakes: WatchWakeCounter | undefined }[] = [];
  #publishing = false;

  subscribe(range: KeyRange, observer: Observer): () => void {
    const prefix = encodeRange(range).from;
    const subscription = { slice: range.slice, observer, active: true };
    const subscriptions = this.#subscriptions.get(prefix);
    if (subscriptions === undefined) {
      this.#subscriptions.set(prefix, new Set([subscription]));
      this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1);
    } else subscriptions.add(subscription);
    return () => this.#remove(prefix, subscription);
  }

  /**
   * Delivers changes to all observers. If an observer writes during the delivery, the changes of this write are
   * delivered after all observers have received the current changes.
   */
  publish(changes: readonly LoggedChange[], wakes?: WatchWakeCounter): void {
    this.#waiting.push({ changes, wakes });
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#deliver(next.changes, next.wakes);
    }
    this.#publishing = false;
  }

  endSlice(slice: string, error: StoreError): void {
    this.#end((subscription) => subscription.slice === slice, error);
  }

  endAll(error: StoreError): void {
    this.#end(() => true, error);
  }

  #deliver(changes: readonly LoggedChange[], wakes: WatchWakeCounter | undefined): void {
    if (this.#subscriptions.size === 0) return;
    const changesBySubscription = new Map<Subscription, Change[]>();
    for (const { text, change } of changes) {
      for (let end = text.indexOf('\u0000'); end !== -1; end = text.indexOf('\u0000', end + 1)) {
        const subscriptions = this.#lengths.has(end + 1) ? this.#subscriptions.get(text.slice(0, end + 1)) : undefined;
        if (subscriptions === undefined) continue;
        for (const subscription of subscriptions) {
          const ownChanges = changesBySubscription.get(subscription);
          if (ownChanges === undefined) changesBySubscription.set(subscription, [change]);
          else ownChanges.push(change);
        }
      }
    }
    for (const [subscription, ownChanges] of changesBySubscription) {
      if (subscription.active) subscription.observer.changes(ownChanges, wakes);
    }
  }

  #end(mustEnd: (subscription: Subscription) => boolean, error: StoreError): void {
    for (const [prefix, subscriptions] of [...this.#subscriptions]) {
      for (const subscription of [...subscriptions].filter(mustEnd)) {
        if (!subscription.active) continue;
        this.#remove(prefix, subscription);
        subscription.observer.ended(error);
      }
    }
  }

  #remove(prefix: string, subscription: Subscription): void {
    subscription.active = false;
    const subscriptions = this.#subscriptions.get(prefix);
    subscriptions?.delete(subscription);
    if (subscriptions?.size !== 0) return;
    this.#subscriptions.delete(prefix);
    const count = (this.#lengths.get(prefix.length) ?? 0) - 1;
    if (count > 0) this.#lengths.set(prefix.length, count);
    else this.#lengths.delete(prefix.length);
  }
}
