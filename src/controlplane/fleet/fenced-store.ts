import type { Revision, Store, Transaction } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/** A store as one plane has it, until the plane is removed. */
export interface FencedStore {
  readonly store: Store;
  /** From now on nothing is written through it; resolves when nothing is being written any more. */
  shut(): Promise<void>;
}

/**
 * What is written into a slice after its removal would bring it back, and nobody would ever remove it again. So the
 * writes of a plane that goes are refused, and those under way are waited for. `onWrite` hears of each before it is written.
 */
export function fencedStore(store: Store, onWrite: (transaction: Transaction) => void = () => {}): FencedStore {
  let underWay = 0;
  let onIdle = () => {};
  let isShut = false;

  function ended(): void {
    underWay--;
    if (underWay === 0) onIdle();
  }

  function transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]> {
    if (isShut) return Promise.reject(new StoreError('Unavailable', 'the control plane was removed'));
    onWrite(transaction);
    underWay++;
    const writing = store.transact(transaction);
    // Heard here first, then by who writes, who is handed the very same promise: every write goes through this.
    writing.then(ended, ended);
    return writing;
  }

  return {
    store: {
      identity: store.identity,
      transact,
      get: (key) => store.get(key),
      list: (range, options) => store.list(range, options),
      removePrefix: () => Promise.reject(new StoreError('Unavailable', 'planes are removed by the fleet alone')),
      revision: (slice) => store.revision(slice),
      observe: (range, since, observer) => store.observe(range, since, observer),
      history: (range, since, to) => store.history(range, since, to),
      compact: (slice, upTo) => store.compact(slice, upTo),
      assertWritable: () => store.assertWritable(),
      dump: () => store.dump(),
      close: () => Promise.reject(new StoreError('Unavailable', 'the store is not a plane’s to close')),
    },
    async shut() {
      isShut = true;
      if (underWay === 0) return;
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
