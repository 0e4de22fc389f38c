import { propertiesOf, type Store } from '../../store/store.ts';

/**
 * Wraps the store of a plane. The wrapper calls `onResume` before the plane receives a result or changes from the
 * store. With these calls, the worker knows which plane it works for, even if requests to several planes wait for the
 * store.
 */
export function attributedStore(store: Store, onResume: () => void): Store {
  const resumed = <T>(result: Promise<T>): Promise<T> => {
    // This handler is attached first, so it runs before the caller continues.
    result.then(onResume, onResume);
    return result;
  };
  return {
    ...propertiesOf(store),
    get: (key) => resumed(store.get(key)),
    list: (range, options) => resumed(store.list(range, options)),
    transact: (transaction) => resumed(store.transact(transaction)),
    removePrefix: (range) => resumed(store.removePrefix(range)),
    revision(slice) {
      const revision = store.revision(slice);
      return typeof revision === 'number' ? revision : resumed(revision);
    },
    observe: (range, since, observer) =>
      resumed(
        store.observe(range, since, {
          changes(changes, wakes) {
            onResume();
            observer.changes(changes, wakes);
          },
          ended(error) {
            onResume();
            observer.ended(error);
          },
        }),
      ),
    history: (range, since, options) => resumed(store.history(range, since, options)),
    compact: (slice, upTo) => resumed(store.compact(slice, upTo)),
    assertWritable: () => resumed(store.assertWritable()),
    dump: () => store.dump(),
    close: () => store.close(),
  };
}
