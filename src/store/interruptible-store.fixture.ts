import { type Change, type Observer, propertiesOf, type Store } from './store.ts';
import { StoreError } from './store-error.ts';

/** The store of one of several processes that write to a shared store. */
export interface InterruptibleStore {
  /** `isShared` is true. Its observers receive the changes of all processes. */
  readonly store: Store;
  /**
   * Holds changes back until `revision` or `transact` is called, because both guarantee that observers have received
   * all changes. `interrupt` drops held changes.
   */
  hold(): void;
  /** Ends all observers with Expired, as if the held changes had been compacted. */
  interrupt(): void;
  /** Lets the next calls of `list` fail with Unavailable. */
  failLists(count: number): void;
  /** The number of calls of `revision`. */
  readonly questions: number;
}

interface Observation {
  readonly observer: Observer;
  held: Change[];
  stop(): void;
}

export function interruptibleStore(shared: Store): InterruptibleStore {
  const observations = new Set<Observation>();
  let isHeld = false;
  let failures = 0;
  let questions = 0;

  function deliver(): void {
    isHeld = false;
    for (const observation of [...observations]) {
      const { held, observer } = observation;
      observation.held = [];
      if (held.length > 0) observer.changes(held);
    }
  }

  async function observe(...[range, since, observer]: Parameters<Store['observe']>): Promise<() => void> {
    let isOver = false;
    let stopShared = () => {};
    const observation: Observation = {
      observer,
      held: [],
      stop() {
        isOver = true;
        observations.delete(observation);
        stopShared();
      },
    };
    observations.add(observation);
    stopShared = await shared.observe(range, since, {
      changes(changes, wakes) {
        if (isOver) return;
        if (isHeld) observation.held.push(...changes);
        else observer.changes(changes, wakes);
      },
      ended(error) {
        if (isOver) return;
        observation.stop();
        observer.ended(error);
      },
    });
    if (isOver) stopShared();
    return () => observation.stop();
  }

  const store: Store = {
    ...propertiesOf(shared),
    isShared: true,
    get: (key) => shared.get(key),
    async list(range, options) {
      if (failures-- > 0) throw new StoreError('Unavailable', 'the store cannot be reached');
      return await shared.list(range, options);
    },
    async transact(transaction) {
      const revisions = await shared.transact(transaction);
      deliver();
      return revisions;
    },
    removePrefix: (range) => shared.removePrefix(range),
    async revision(slice) {
      questions++;
      const revision = await shared.revision(slice);
      deliver();
      return revision;
    },
    observe,
    history: (range, since, options) => shared.history(range, since, options),
    compact: (slice, upTo) => shared.compact(slice, upTo),
    assertWritable: () => shared.assertWritable(),
    dump: () => shared.dump(),
    close: () => shared.close(),
  };

  return {
    store,
    hold() {
      isHeld = true;
    },
    interrupt() {
      isHeld = false;
      const ended = [...observations];
      for (const observation of ended) observation.stop();
      for (const { observer } of ended) observer.ended(new StoreError('Expired', 'changes were lost'));
    },
    failLists(count) {
      failures = count;
    },
    get questions() {
      return questions;
    },
  };
}
