import type { Clock } from '../../lib/clock.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';

/** creationTimestamp has whole seconds: it is up to one second earlier than the creation. */
const timestampToleranceMs = 2_000;

/**
 * Measures the time from the creation of an instance until it is Ready for the first time. creationTimestamp has whole
 * seconds and most instances are Ready within milliseconds, so the measurement starts when the controller first sees
 * the instance. creationTimestamp is used only if it is much older than that, for example after a restart.
 */
export class FirstReadyTimer {
  readonly #clock: Clock;
  readonly #onReady: (project: string, milliseconds: number) => void;
  /** Instances that were never Ready, by uid: monotonic time when first seen; `undefined` if not measured. */
  readonly #firstSeen = new Map<string, number | undefined>();

  constructor(clock: Clock, onReady: (project: string, milliseconds: number) => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** Starts the measurement: the controller sees the instance for the first time. */
  start(uid: string): void {
    this.#firstSeen.set(uid, this.#clock.elapsed());
  }

  forget(uid: string): void {
    this.#firstSeen.delete(uid);
  }

  /** Handles a completed reconcile whose status is written. The snapshot is from before the reconcile. */
  onReconciled({ object, uid, project, external, importedUid }: InstanceSnapshot, phase: string): void {
    const firstSeen = this.#firstSeen.get(uid);
    // deployHash is written together with the first Ready.
    const wasReady = (object.status?.deployHash ?? '') !== '';
    if (wasReady || external || importedUid !== '') {
      this.#firstSeen.delete(uid);
    } else if (phase === 'Sleeping' || object.status?.phase === 'Sleeping') {
      // The instance sleeps before its first use. The duration would depend on users, so it is not measured.
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
