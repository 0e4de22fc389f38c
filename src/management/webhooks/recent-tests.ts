import type { Clock } from '../../lib/clock.ts';

/** The maximum number of test events per project within `periodMs`. */
const maxTests = 10;
const periodMs = 60_000;

/** Counts the test events of the last minute by namespace. Remembers only namespaces with recent test events. */
export class RecentTests {
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** The times of the events, oldest first. */
  readonly #times = new Map<string, number[]>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Returns the seconds until the next test is allowed; 0 if it is allowed now. */
  secondsUntilAllowed(namespace: string): number {
    this.#forgetOld();
    const times = this.#times.get(namespace) ?? [];
    const [oldest] = times;
    if (oldest === undefined || times.length < maxTests) return 0;
    return Math.max(1, Math.ceil((oldest + periodMs - this.#clock.elapsed()) / 1_000));
  }

  add(namespace: string): void {
    this.#times.set(namespace, [...(this.#times.get(namespace) ?? []), this.#clock.elapsed()]);
  }

  #forgetOld(): void {
    const since = this.#clock.elapsed() - periodMs;
    for (const [namespace, times] of this.#times) {
      const recent = times.filter((time) => time > since);
      if (recent.length === 0) this.#times.delete(namespace);
      else if (recent.length < times.length) this.#times.set(namespace, recent);
    }
  }
}
