import { describe } from 'vitest';
import { concurrentWritesTests } from './suite/concurrent-writes.ts';
import { historyTests } from './suite/history.ts';
import { keysAndValuesTests } from './suite/keys-and-values.ts';
import { listingTests } from './suite/listing.ts';
import { retentionTests } from './suite/retention.ts';
import { slicesTests } from './suite/slices.ts';
import type { OpenStore } from './suite/suite-store.ts';
import { watchingTests } from './suite/watching.ts';

interface SuiteOptions {
  /** True if the newest changes of each slice are kept at any age; see `HistoryRetention`. */
  readonly keepsNewestChanges: boolean;
}

/** Defines the tests that every implementation of `Store` must pass. Each section tests one guarantee. */
export function storeSuite(name: string, open: OpenStore, options: SuiteOptions = { keepsNewestChanges: true }): void {
  describe(name, () => {
    keysAndValuesTests(open);
    listingTests(open);
    watchingTests(open);
    concurrentWritesTests(open);
    historyTests(open);
    retentionTests(open, options);
    slicesTests(open);
  });
}
