import type { Revision, Store, Transaction } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/** A store as one plane uses it, until the plane is removed. */
export interface FencedStore {
  readonly store: Store;
  /** Refuses all further writes; resolves when no write is in progress. */
  closeWrites(): Promise<void>;
}

/**
 * A write into a slice after its removal would recreate the slice, and nothing would ever remove it again. The fence
 * therefore refuses the writes of a plane that is being removed, and waits for those in progress. `onWrite` is called
 * before each write.
 */
export function fencedStore(store: Store, onWrite: (transaction: Transaction) => void = () => {}): FencedStore {
  let pendingWrites = 0;
  let onIdle = () => {};
  let isShut = false;

  function writeEnded(): void {
    pendingWrites--;
    if (pendingWrites === 0) onIdle();
  }

  function transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]> {
    if (isShut) return Promise.reject(new StoreError('Unavailable', 'the control plane was removed'));
    onWrite(transaction);
    pendingWrites++;
    const writing = store.transact(transaction);
    // This handler runs before the caller's, because the caller receives the same promise. Every write passes here.
    writing.then(writeEnded, writeEnded);
    return writing;
  }

  return {
    store: {
      identity: store.identity,
      transact,
      get: (key) => store.get(key),
      list: (range, options) => store.list(range, options),
      removePrefix: () => Promise.reject(new StoreError('Unavailable', 'only the fleet can remove a control plane')),
      revision: (slice) => store.revision(slice),
      observe: (range, since, observer) => store.observe(range, since, observer),
      history: (range, since, to) => store.history(range, since, to),
      compact: (slice, upTo) => store.compact(slice, upTo),
      assertWritable: () => store.assertWritable(),
      dump: () => store.dump(),
      close: () => Promise.reject(new StoreError('Unavailable', 'a control plane cannot close the store')),
    },
    async closeWrites() {
      isShut = true;
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
