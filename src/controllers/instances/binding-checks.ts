import type { Clock } from '../../lib/clock.ts';
import type { InstanceActivity } from './instance-activity.ts';

/** A deleted or changed role binding is restored after this time, on the next request of a user. */
const intervalMs = 60_000;

/**
 * Schedules checks of the role bindings inside virtual clusters, because users inside can delete them. Only virtual
 * clusters in use are checked: a check of ten thousand idle ones would load all of their planes.
 */
export class BindingChecks {
  readonly #clock: Clock;
  /** By instance uid: monotonic time of the last check; `undefined` if a check is due. */
  readonly #checkedAt = new Map<string, number | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue(uid: string): boolean {
    return this.#checkedAt.has(uid) && this.#checkedAt.get(uid) === undefined;
  }

  markChecked(uid: string): void {
    this.#checkedAt.set(uid, this.#clock.elapsed());
  }

  forget(uid: string): void {
    this.#checkedAt.delete(uid);
  }

  /**
   * Calls `onDue` for an instance that is used and whose last check is too old. Returns a function that unsubscribes.
   */
  follow(activity: InstanceActivity, onDue: (uid: string) => void): () => void {
    return activity.onActivity((uid) => {
      const last = this.#checkedAt.get(uid);
      if (last === undefined ? this.#checkedAt.has(uid) : this.#clock.elapsed() - last < intervalMs) return;
      this.#checkedAt.set(uid, undefined);
      onDue(uid);
    });
  }
}
