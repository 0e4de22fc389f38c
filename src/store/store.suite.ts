import { describe } from 'vitest';
import { concurrentWritesTests } from './suite/concurrent-writes.ts';
import { keysAndValuesTests } from './suite/keys-and-values.ts';
import { listingTests } from './suite/listing.ts';
import { retentionTests } from './suite/retention.ts';
import { slicesTests } from './suite/slices.ts';
import type { OpenStore } from './suite/suite-store.ts';
import { watchingTests } from './suite/watching.ts';

/** Defines the tests that every implementation of `Store` must pass. Each section tests one guarantee. */
export function storeSuite(name: string, open: OpenStore): void {
  describe(name, () => {
    keysAndValuesTests(open);
    listingTests(open);
    watchingTests(open);
    concurrentWritesTests(open);
    retentionTests(open);
    slicesTests(open);
  });
}
