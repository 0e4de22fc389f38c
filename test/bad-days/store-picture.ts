import { openEmbeddedStore } from '../../src/store/embedded.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, range } from '../../src/store/suite/suite-store.ts';

/** All that a store can be asked, as one text: two are the same store if and only if their pictures are. */
export async function pictureOf(store: Store): Promise<string> {
  return JSON.stringify([
    await collect(store.dump()),
    await store.revision('s'),
    await store.list(range('s')),
    await store.history(range('s'), 1),
  ]);
}

/** The picture of what lies in the directory. Rejects as opening and reading do. */
export async function pictureIn(directory: string): Promise<string> {
  const store = await openEmbeddedStore({ directory });
  try {
    return await pictureOf(store);
  } finally {
    await store.close();
  }
}
