import { type Observer, propertiesOf, type Revision, type Store, type Transaction } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/** The store of one plane, with a function that blocks further writes when the plane is removed. */
export interface FencedStore {
  readonly store: Store;
  /** Rejects all later writes. Resolves after the writes in progress have ended. */
  closeWrites(): Promise<void>;
}

/**
 * Returns a store whose writes can be blocked. Without the block, a late write of a removed plane would recreate its
 * slice, and nothing would ever delete that slice. `onWrite` is called before each write, and `onObservationEnd` after
 * the store has ended an observation.
 */
export function fencedStore(
  store: Store,
  onWrite: (transaction: Transaction) => void = () => {},
  onObservationEnd: (error: StoreError) => void = () => {},
): FencedStore {
  let pendingWrites = 0;
  let onIdle = () => {};
  let isClosed = false;

  function writeEnded(): void {
    pendingWrites--;
    if (pendingWrites === 0) onIdle();
  }

  function transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]> {
    if (isClosed)
      return Promise.reject(new StoreError('Unavailable', 'the control plane was removed or its worker has ended'));
    onWrite(transaction);
    pendingWrites++;
    const writing = store.transact(transaction);
    // `writeEnded` is attached first, so it runs before the caller continues.
    writing.then(writeEnded, writeEnded);
    return writing;
  }

  const reportingObserver = (observer: Observer): Observer => ({
    changes: (changes, wakes) => observer.changes(changes, wakes),
    ended(error) {
      observer.ended(error);
      onObservationEnd(error);
    },
  });

  return {
    store: {
      ...propertiesOf(store),
      transact,
      get: (key) => store.get(key),
      list: (range, options) => store.list(range, options),
      removePrefix: () => Promise.reject(new StoreError('Unavailable', 'only the fleet can remove a control plane')),
      revision: (slice) => store.revision(slice),
      observe: (range, since, observer) => store.observe(range, since, reportingObserver(observer)),
      history: (range, since, options) => store.history(range, since, options),
      compact: (slice, upTo) => store.compact(slice, upTo),
      assertWritable: () => store.assertWritable(),
      dump: () => store.dump(),
      close: () => Promise.reject(new StoreError('Unavailable', 'a control plane cannot close the store')),
    },
    async closeWrites() {
      isClosed = true;
      if (pendingWrites === 0) return;
      await new Promise<void>((resolve) => {
        const before = onIdle;
        onIdle = () => {
          before();
          resolve();
        };
      });
    },
  };
}
