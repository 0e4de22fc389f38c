import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';
import type { Store } from '../../src/store/store.ts';
import { collectAsync, historyOf, storeRange } from '../../src/store/suite/suite-store.ts';

/** The complete observable state of a store as one string: equal strings mean equal stores. */
export async function storeState(store: Store): Promise<string> {
  return JSON.stringify([
    await collectAsync(store.dump()),
    await store.revision('s'),
    await store.list(storeRange('s')),
    await historyOf(store, storeRange('s'), 1),
  ]);
}

/** The state of the store in the directory. Rejects if opening or reading fails. */
export async function storeStateIn(directory: string): Promise<string> {
  const store = await openEmbeddedStore({ directory });
  try {
    return await storeState(store);
  } finally {
    await store.close();
  }
}
