import { serviceUnavailable } from '../../api/status.ts';
import type { Change, Entry, WatchWakeCounter } from '../../store/store.ts';
import type { StoreError } from '../../store/store-error.ts';
import { allObjectsRange, objectsRange } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';
import { JoiningReceiver } from './joining-receiver.ts';
import { deliverMissedChanges, type RowReceiver, type RowState } from './missed-changes.ts';
import { ObservedRange, type ObservedRangeOptions, type RangeReceiver, type RowObservation } from './observed-range.ts';

/** The rows of one kind at one revision, and a function that observes all changes after this revision. */
export interface KindRows extends RowState {
  /**
   * Starts to observe changes. Must be called in the event loop tick in which the rows were returned, so that no change
   * is missed.
   */
  observe(receiver: RowReceiver): RowObservation;
}

/**
 * A kind that has joined the observation of its plane: the value that `join` returns, and the receiver of the kind's
 * changes.
 */
export interface JoinedKind<Opened> {
  readonly opened: Opened;
  readonly receiver: RowReceiver;
}

export interface SliceObjectsOptions extends Pick<ObservedRangeOptions, 'store' | 'clock' | 'log'> {
  readonly slice: string;
}

/**
 * The rows of all kinds of a plane. They are listed and observed together, because separate lists and observers for
 * twenty kinds would take most of the time that opening a small plane takes. The rows are held in memory until
 * `release` is called. A kind that is opened later reads its rows from the store and joins the observation. All kinds
 * of a plane therefore miss changes together and are loaded again together.
 */
export class SliceObjects {
  readonly #options: SliceObjectsOptions;
  readonly #receivers = new Map<string, Set<RowReceiver>>();
  #held: Map<string, Entry[]> | undefined;
  /** The kinds whose held rows are outdated, because a change was observed after they were listed. */
  readonly #stale = new Set<string>();
  #revision: number;
  #observation: RowObservation | undefined;
  #onUnobservedRow: ((resource: string) => void) | undefined;
  /** True from an interruption until the missed changes are delivered. */
  #isInterrupted = false;
  #isClosed = false;

  private constructor(options: SliceObjectsOptions, { revision, entries }: RowState) {
    this.#options = options;
    this.#revision = revision;
    this.#held = entriesByKind(entries);
  }

  /** Lists the rows of the slice and starts to observe them. Rejects with an API error if the store cannot be read. */
  static async open(options: SliceObjectsOptions): Promise<SliceObjects> {
    const { slice, store, clock, log } = options;
    const range = allObjectsRange(slice);
    const rows = await withStatusErrors(store.list(range));
    const objects = new SliceObjects(options, rows);
    objects.#observation = await ObservedRange.start({ store, clock, log, range }, rows.revision, objects.#receiver());
    return objects;
  }

  /**
   * Returns the rows of a kind. `undefined` if the rows were released or are outdated; use `join` then.
   */
  rowsOf(resource: string): KindRows | undefined {
    if (this.#held === undefined || this.#stale.has(resource)) return undefined;
    const entries = this.#held.get(resource) ?? [];
    this.#held.delete(resource);
    return { entries, revision: this.#revision, observe: (receiver) => this.#observe(resource, receiver) };
  }

  /** False if the kind certainly has no rows. It can then be opened with `emptyRowsOf`. */
  mayHaveRows(resource: string): boolean {
    return this.#held === undefined || this.#stale.has(resource) || this.#held.has(resource);
  }

  /**
   * Returns the rows of a kind that has none. Call it only if `mayHaveRows` was false for the kind and
   * `onUnobservedRow` has not reported it since.
   */
  emptyRowsOf(resource: string): KindRows {
    return {
      entries: [],
      revision: this.#revision,
      observe: (receiver) => {
        const observation = this.#observe(resource, receiver);
        // A receiver that is added during an interruption also gets the missed changes.
        if (this.#isInterrupted) receiver.interrupted();
        return observation;
      },
    };
  }

  /**
   * Registers a function that is called when a kind without observers gets a row. If the function observes the kind,
   * the row is delivered. It must be fast and must not throw.
   */
  onUnobservedRow(listener: (resource: string) => void): void {
    this.#onUnobservedRow = listener;
  }

  /**
   * Reads the rows of a kind from the store, and adds the kind to the common observation. Calls `start` with the rows
   * and returns the `opened` member of its result. Rejects with an API error.
   */
  async join<Opened>(
    resource: string,
    start: (rows: RowState, observation: RowObservation) => JoinedKind<Opened>,
  ): Promise<Opened> {
    const { store, slice } = this.#options;
    for (;;) {
      await this.#observation?.recovery;
      const joining = new JoiningReceiver();
      const observation = this.#observe(resource, joining);
      try {
        const rows = await withStatusErrors(store.list(objectsRange(slice, resource)));
        if (this.#isClosed) throw serviceUnavailable('the control plane was unloaded; try again', 1);
        if (!joining.isInterrupted) {
          const { opened, receiver } = start(rows, observation);
          joining.start(receiver, rows.revision);
          return opened;
        }
      } catch (error) {
        observation.close();
        throw error;
      }
      // Changes were missed while the rows were read, so the rows are read again.
      observation.close();
    }
  }

  /** Releases the memory of the held rows. Call it after all kinds of the plane were opened. */
  release(): void {
    this.#held = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#held = undefined;
    this.#observation?.close();
    this.#receivers.clear();
  }

  #observe(resource: string, receiver: RowReceiver): RowObservation {
    const receivers = this.#receivers.get(resource) ?? new Set();
    this.#receivers.set(resource, receivers);
    receivers.add(receiver);
    // Later changes go to the receiver and do not update the held rows. If the kind is opened again, it must read its
    // rows from the store.
    this.#stale.add(resource);
    const recovery = () => this.#observation?.recovery;
    return {
      get recovery() {
        return recovery();
      },
      close: () => {
        receivers.delete(receiver);
        if (receivers.size === 0 && this.#receivers.get(resource) === receivers) this.#receivers.delete(resource);
      },
    };
  }

  #receiver(): RangeReceiver {
    return {
      changes: (changes, wakes) => this.#dispatch(changes, wakes),
      interrupted: () => this.#interrupt(),
      reload: (current) => this.#reload(current),
      ended: (error) => this.#end(error),
    };
  }

  #dispatch(changes: readonly Change[], wakes: WatchWakeCounter | undefined): void {
    for (const change of changes) {
      const resource = change.key.segments[1] ?? '';
      if (!this.#receivers.has(resource)) this.#onUnobservedRow?.(resource);
      this.#revision = change.revision;
      const receivers = this.#receivers.get(resource);
      if (receivers !== undefined) for (const receiver of receivers) receiver.changes([change], wakes);
      else if (this.#held !== undefined) {
        this.#held.delete(resource);
        this.#stale.add(resource);
      }
    }
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    this.#held = undefined;
    for (const [, receiver] of this.#allReceivers()) receiver.interrupted();
  }

  async #reload({ entries, revision }: RowState): Promise<void> {
    const byKind = entriesByKind(entries);
    if (this.#receivers.size === 0) {
      // No kind is open yet, so the new rows are only held.
      this.#held = byKind;
      this.#stale.clear();
    }
    for (const resource of byKind.keys()) if (!this.#receivers.has(resource)) this.#onUnobservedRow?.(resource);
    // Remembers which receivers got the changes, because a kind without rows can be opened during the delivery.
    const delivered = new Set<RowReceiver>();
    for (;;) {
      const pending = this.#allReceivers().filter(([, receiver]) => !delivered.has(receiver));
      if (pending.length === 0) break;
      const kinds = pending.map(([resource, receiver]) => ({ receiver, entries: byKind.get(resource) ?? [] }));
      await deliverMissedChanges(kinds, revision);
      for (const { receiver } of kinds) delivered.add(receiver);
    }
    this.#revision = revision;
    this.#isInterrupted = false;
  }

  #end(error: StoreError): void {
    const all = this.#allReceivers();
    this.#receivers.clear();
    for (const [, receiver] of all) receiver.ended(error);
  }

  #allReceivers(): readonly (readonly [resource: string, receiver: RowReceiver])[] {
    return [...this.#receivers].flatMap(([resource, receivers]) =>
      [...receivers].map((receiver) => [resource, receiver] as const),
    );
  }
}

function entriesByKind(entries: readonly Entry[]): Map<string, Entry[]> {
  const byKind = new Map<string, Entry[]>();
  for (const entry of entries) {
    const resource = entry.key.segments[1] ?? '';
    const rows = byKind.get(resource);
    if (rows === undefined) byKind.set(resource, [entry]);
    else rows.push(entry);
  }
  return byKind;
}
