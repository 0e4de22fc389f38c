import { propertiesOf, type RevisionCheck, type Store } from '../store/store.ts';
import { isCheckFailed } from './check-failed.ts';
import { replicasSlice } from './replica-rows.ts';

/**
 * Wraps a store. If a transaction fails because of a fence, calls `report` with the fence before the caller of
 * `transact` gets the error.
 */
export function reportFailedChecks(store: Store, report: (check: RevisionCheck) => void): Store {
  return {
    ...propertiesOf(store),
    transact(transaction) {
      const writing = store.transact(transaction);
      const fences = transaction.checks?.filter(({ key }) => key.slice === replicasSlice) ?? [];
      if (fences.length === 0) return writing;
      // This handler is attached before the caller's handler, so it runs first.
      writing.catch((error: unknown) => {
        const failed = isCheckFailed(error) ? transaction.checks?.[error.detail ?? -1] : undefined;
        if (failed !== undefined && fences.includes(failed)) report(failed);
      });
      return writing;
    },
    get: (key) => store.get(key),
    list: (range, options) => store.list(range, options),
    removePrefix: (range) => store.removePrefix(range),
    revision: (slice) => store.revision(slice),
    observe: (range, since, observer) => store.observe(range, since, observer),
    history: (range, since, options) => store.history(range, since, options),
    compact: (slice, upTo) => store.compact(slice, upTo),
    assertWritable: () => store.assertWritable(),
    dump: () => store.dump(),
    close: () => store.close(),
  };
}
