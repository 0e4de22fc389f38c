import type { Change, WatchWakeCounter } from '../../store/store.ts';
import type { StoreError } from '../../store/store-error.ts';
import type { MissedChange, RowReceiver, RowState } from './missed-changes.ts';

/**
 * Receives the changes of a kind whose rows are still being read. It keeps the changes until the rows have been read.
 * Then it passes on the changes that are newer than the rows.
 */
export class JoiningReceiver implements RowReceiver {
  #waiting: Change[] = [];
  #receiver: RowReceiver | undefined;
  /** The revision at which the rows were read. */
  #since = 0;
  #isInterrupted = false;

  /** True if changes were missed before `start`. The caller must then read the rows again. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Passes the kept changes after `revision` to the receiver, which already has the rows of this revision. */
  start(receiver: RowReceiver, revision: number): void {
    this.#receiver = receiver;
    this.#since = revision;
    this.changes(this.#waiting);
    this.#waiting = [];
  }

  changes(changes: readonly Change[], wakes?: WatchWakeCounter): void {
    if (this.#receiver === undefined) {
      this.#waiting.push(...changes);
      return;
    }
    const later = changes.filter(({ revision }) => revision > this.#since);
    if (later.length > 0) this.#receiver.changes(later, wakes);
  }

  interrupted(): void {
    if (this.#receiver === undefined) this.#isInterrupted = true;
    else this.#receiver.interrupted();
  }

  async missedChanges(current: RowState): Promise<MissedChange[]> {
    return (await this.#receiver?.missedChanges(current)) ?? [];
  }

  reloaded(revision: number): void {
    this.#receiver?.reloaded(revision);
  }

  ended(error: StoreError): void {
    if (this.#receiver === undefined) this.#isInterrupted = true;
    else this.#receiver.ended(error);
  }
}
