import type { Clock } from '../../lib/clock.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';

/**
 * The tolerance, in milliseconds, for the difference between `creationTimestamp` and the time at which the controller
 * first saw an instance. A difference within the tolerance may result from rounding, because `creationTimestamp` has
 * whole seconds. If the difference is larger, the measurement starts at `creationTimestamp`.
 */
const timestampToleranceMs = 2_000;

/**
 * Measures the time from the creation of an instance until it is Ready for the first time. Most instances are Ready
 * within milliseconds, and `creationTimestamp` has whole seconds, so the measurement starts when the controller first
 * sees the instance. If `creationTimestamp` is much older than that, for example after a restart, the measurement
 * starts at `creationTimestamp`.
 */
export class FirstReadyTimer {
  readonly #clock: Clock;
  readonly #onReady: (project: string, milliseconds: number) => void;
  /**
   * Monotonic time at which an instance was first seen, by uid. The entry is `undefined` if the instance is not
   * measured, and is removed when the instance is Ready.
   */
  readonly #firstSeen = new Map<string, number | undefined>();

  constructor(clock: Clock, onReady: (project: string, milliseconds: number) => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** Starts the measurement. Must be called when the controller sees the instance for the first time. */
  start(uid: string): void {
    this.#firstSeen.set(uid, this.#clock.elapsed());
  }

  forget(uid: string): void {
    this.#firstSeen.delete(uid);
  }

  /** Must be called after a reconcile has written its status. The snapshot is the state before that reconcile. */
  onReconciled({ object, uid, project, external, importedUid }: InstanceSnapshot, phase: string): void {
    const firstSeen = this.#firstSeen.get(uid);
    // The first reconcile that reports Ready also writes deployHash.
    const wasReady = (object.status?.deployHash ?? '') !== '';
    if (wasReady || external || importedUid !== '') {
      this.#firstSeen.delete(uid);
    } else if (phase === 'Sleeping' || object.status?.phase === 'Sleeping') {
      // The instance sleeps and was never Ready. The time until it is Ready now depends on users, so it is not
      // measured.
      this.#firstSeen.set(uid, undefined);
    } else if (phase === 'Ready') {
      this.#firstSeen.delete(uid);
      if (firstSeen === undefined) return;
      const sinceFirstSeen = this.#clock.elapsed() - firstSeen;
      const sinceCreated = this.#clock.now() - Date.parse(object.metadata.creationTimestamp ?? '');
      this.#onReady(project, sinceCreated - sinceFirstSeen > timestampToleranceMs ? sinceCreated : sinceFirstSeen);
    }
  }
}
