import { type Clock, systemClock } from '../../lib/clock.ts';
import { FairQueue, type RunningShare } from './fair-queue.ts';

export interface FairSchedulerOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /**
   * Measures long time slices and the pauses after them. Optional; defaults to the system clock, because the work of a
   * time slice takes real time even in tests with a manual clock.
   */
  readonly pauseClock?: Pick<Clock, 'elapsed' | 'after'>;
  /**
   * Runs the callback after pending input was read and earlier callbacks were run. Optional; defaults to
   * `setImmediate`.
   */
  readonly defer?: (callback: () => void) => void;
}

/**
 * Background work gets a time slice if no normal work waits. Even if normal work waits, background work gets one of
 * `slicesPerBackgroundSlice` time slices.
 */
export type WorkPriority = 'normal' | 'background';

/**
 * The two lengths of a round in milliseconds. Input is read only between rounds. A request waits for the next round
 * several times: to be read, for its time slice, at each step of a write, and to send its response. Rounds are long if
 * only one key is active, because writes that start together can share a group commit.
 */
const shortRound = 0.15;
const longRound = 4;
/**
 * Rounds are short only if there are more waiting requests per waiting key than this number, or more waiting keys per
 * waiting tenant. If all callers send about the same number of requests, it is fair to serve them in the order of
 * arrival, and short rounds would only reduce throughput.
 */
const unevenAbove = 8;
/**
 * Rounds are short only during this time after two successive requests came from different keys. After this time, only
 * one key counts as active.
 */
const sharedMilliseconds = 1000;
/**
 * After a time slice of more than `longSlice` milliseconds, its tenant pauses for as long as the time slice took, at
 * most `maxPause`. Without pauses, each of the several rounds that a request of another tenant needs could contain a
 * long time slice of the first tenant. A tenant that was alone for `aloneMilliseconds` does not pause.
 */
const longSlice = 10;
const maxPause = 1_000;
const aloneMilliseconds = 10_000;
/** The maximum number of callbacks to schedule in advance. A round rarely runs more callbacks than this. */
const maxAhead = 64;
/** If both normal and background work wait, background work gets one of this many time slices. */
const slicesPerBackgroundSlice = 4;

/**
 * Schedules CPU time fairly between tenants, within a tenant between its parts, and within a part between its keys. A
 * key identifies a caller. There is only one thread: without scheduling, a thousand requests of one key would be
 * finished before the single request of another key is read from its socket. Therefore, work starts in time slices.
 * Time slices are grouped in short rounds, and input is read between rounds. The next time slice goes to the tenant
 * that has used the least CPU time, and within the tenant to the key that has used the least. A tenant whose work
 * cannot be divided into short time slices pauses after each long one.
 *
 * A time slice ends when its work awaits something or is finished. Long work must request further time slices. The
 * scheduler does not limit the number of waiting requests; its users must do that.
 */
export class FairScheduler {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #pauseClock: Pick<Clock, 'elapsed' | 'after'>;
  readonly #defer: (callback: () => void) => void;
  readonly #normal = new FairQueue();
  readonly #background = new FairQueue();
  /** The number of time slices since the last time slice of background work. */
  #sinceBackground = 0;
  #scheduled = 0;
  /** The number of scheduled callbacks that remain in the current round. */
  #leftInRound = 0;
  #roundBegan = 0;
  /** The current time slice. `since` is its start on `clock`, `began` its start on `pauseClock`. */
  #running:
    | { readonly queue: FairQueue; readonly key: RunningShare; readonly since: number; readonly began: number }
    | undefined;
  #lastKey = '';
  #lastTenant = '';
  #sharedUntil = 0;
  /** Until this time, tenants pause after long time slices, because another tenant is active. */
  #pausesUntil = 0;

  constructor({ clock, pauseClock = systemClock, defer = setImmediate }: FairSchedulerOptions) {
    this.#clock = clock;
    this.#pauseClock = pauseClock;
    this.#defer = defer;
  }

  /**
   * Resolves when the key gets a time slice, even if the request has already ended. Never rejects. A key without a
   * tenant counts as a separate tenant. The time of a tenant is divided first between its parts, such as its virtual
   * clusters, and then between the keys of each part.
   */
  waitForTimeSlice(key: string, tenant = key, priority: WorkPriority = 'normal', part = ''): Promise<void> {
    return new Promise((resolve) => {
      if (key !== this.#lastKey || tenant !== this.#lastTenant) {
        this.#sharedUntil = this.#clock.elapsed() + sharedMilliseconds;
        if (tenant !== this.#lastTenant && this.#lastTenant !== '') {
          this.#pausesUntil = this.#pauseClock.elapsed() + aloneMilliseconds;
        }
      }
      this.#lastKey = key;
      this.#lastTenant = tenant;
      const queue = priority === 'normal' ? this.#normal : this.#background;
      queue.push({ tenant, part, key }, resolve);
      this.#schedule();
    });
  }

  /**
   * Schedules a callback per waiting request, and one more, because each callback ends the time slice that the previous
   * callback began.
   */
  #schedule(): void {
    const waiting = this.#normal.length + this.#background.length;
    const wanted = waiting === 0 ? 0 : Math.min(waiting, maxAhead) + 1;
    while (this.#scheduled < wanted) {
      this.#scheduled++;
      this.#defer(this.#tick);
    }
  }

  /** Ends the current time slice and starts the next one. The work of a time slice runs before the next callback. */
  readonly #tick = (): void => {
    const now = this.#clock.elapsed();
    if (this.#leftInRound === 0) {
      // A new round begins. Callbacks that are scheduled from now on belong to the next round.
      this.#leftInRound = this.#scheduled;
      this.#roundBegan = now;
    }
    this.#scheduled--;
    this.#leftInRound--;
    this.#endTimeSlice(now);
    const roundMilliseconds = now < this.#sharedUntil && this.#isUneven() ? shortRound : longRound;
    // The last callback of a round starts no time slice, because the time for reading the input after it would be
    // counted as CPU time of that time slice.
    if (this.#leftInRound > 0 && now - this.#roundBegan < roundMilliseconds) this.#beginTimeSlice(now);
    this.#schedule();
  };

  #isUneven(): boolean {
    const { length, keys, tenants } = this.#normal;
    if (length > unevenAbove * keys) return true;
    return tenants > 1 && keys > unevenAbove * tenants;
  }

  #beginTimeSlice(now: number): void {
    const isBackgroundTurn =
      this.#background.length > 0 &&
      (this.#normal.length === 0 || this.#sinceBackground >= slicesPerBackgroundSlice - 1);
    this.#sinceBackground = isBackgroundTurn ? 0 : this.#sinceBackground + 1;
    const queue = isBackgroundTurn ? this.#background : this.#normal;
    const key = queue.beginNext();
    if (key !== undefined) this.#running = { queue, key, since: now, began: this.#pauseClock.elapsed() };
  }

  #endTimeSlice(now: number): void {
    if (this.#running === undefined) return;
    const { queue, key, since, began } = this.#running;
    this.#running = undefined;
    queue.charge(key, now - since);
    const ended = this.#pauseClock.elapsed();
    if (ended - began > longSlice && ended < this.#pausesUntil) this.#pause(queue, key, ended - began);
  }

  #pause(queue: FairQueue, key: RunningShare, milliseconds: number): void {
    const resume = queue.pause(key);
    this.#pauseClock.after(Math.min(milliseconds, maxPause), () => {
      resume();
      this.#schedule();
    });
  }
}
