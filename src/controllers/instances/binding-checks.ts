import type { Clock } from '../../lib/clock.ts';
import type { InstanceActivity } from './instance-activity.ts';

/**
 * Minimum time between two checks of one virtual cluster. While a virtual cluster is in use, a missing binding is
 * restored after at most this time.
 */
const intervalMs = 60_000;

/**
 * Schedules checks of the server's role bindings inside virtual clusters, because users in a virtual cluster can delete
 * these bindings. Only virtual clusters in use are checked: checks of ten thousand idle virtual clusters would load all
 * their control planes.
 */
export class RoleBindingChecks {
  readonly #clock: Clock;
  /**
   * Monotonic time of the last check, by instance uid. The value is `undefined` from the time at which a check is due
   * until the check is done.
   */
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
   * Calls `onDue` for each used instance whose last check is older than the interval. `onDue` returns false if there is no
   * instance with this uid. Returns a function that unsubscribes.
   */
  follow(activity: InstanceActivity, onDue: (uid: string) => boolean): () => void {
    return activity.onActivity((uid) => {
      const last = this.#checkedAt.get(uid);
      if (last === undefined ? this.#checkedAt.has(uid) : this.#clock.elapsed() - last < intervalMs) return;
      this.#checkedAt.set(uid, undefined);
      if (!onDue(uid)) this.#checkedAt.delete(uid);
    });
  }
}
