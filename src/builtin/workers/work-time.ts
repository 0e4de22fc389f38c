import { performance } from 'node:perf_hooks';

/**
 * Measures for which plane a worker is busy. The time in which the event loop waits for events does not count. The
 * caller reports when the worker switches to another plane; the time since the last report is attributed to the
 * previous plane.
 */
export class WorkTime {
  readonly #busyMs: () => number;
  readonly #msByPlane = new Map<string, number>();
  #plane = '';
  #since: number;

  /** `busyMs` returns the time for which this thread was busy since its start, in milliseconds. */
  constructor(busyMs: () => number = () => performance.eventLoopUtilization().active) {
    this.#busyMs = busyMs;
    this.#since = busyMs();
  }

  /** Called before the worker begins or continues work for a plane. Fast if the worker already works for this plane. */
  switchTo(planeId: string): void {
    if (planeId === this.#plane) return;
    this.#count();
    this.#plane = planeId;
  }

  /** Returns the busy times since the last call, and resets them. */
  take(): ReadonlyMap<string, number> {
    this.#count();
    const taken = new Map(this.#msByPlane);
    this.#msByPlane.clear();
    // Attribute work after this point, for example of timers, to no plane until the next call of `switchTo`.
    this.#plane = '';
    return taken;
  }

  #count(): void {
    const now = this.#busyMs();
    if (this.#plane !== '')
      this.#msByPlane.set(this.#plane, (this.#msByPlane.get(this.#plane) ?? 0) + now - this.#since);
    this.#since = now;
  }
}
