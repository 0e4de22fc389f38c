import type { Clock } from '../../lib/clock.ts';
import type { InstanceActivity } from './instance-needs.ts';

/** Whoever takes the rights of a virtual cluster's users away has them back after this, at their next request. */
const everyMilliseconds = 60_000;

/**
 * When the bindings inside a virtual cluster are to be looked at again, as somebody in there may have deleted one. Only
 * what is used is looked at: of ten thousand that rest, none is loaded for it.
 */
export class BindingChecks {
  readonly #clock: Clock;
  /** By uid of the instance: when it was last looked at, by the clock that nobody sets; undefined: it is to be. */
  readonly #looked = new Map<string, number | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue(uid: string): boolean {
    return this.#looked.has(uid) && this.#looked.get(uid) === undefined;
  }

  looked(uid: string): void {
    this.#looked.set(uid, this.#clock.elapsed());
  }

  forget(uid: string): void {
    this.#looked.delete(uid);
  }

  /** Calls back for an instance that is used and was not looked at for a while. Returns how it ends. */
  follow(activity: InstanceActivity, onDue: (uid: string) => void): () => void {
    return activity.onActivity((uid) => {
      const last = this.#looked.get(uid);
      if (last === undefined ? this.#looked.has(uid) : this.#clock.elapsed() - last < everyMilliseconds) return;
      this.#looked.set(uid, undefined);
      onDue(uid);
    });
  }
}
