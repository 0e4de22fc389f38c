import { describe } from 'vitest';
import { concurrentWritesSection } from './suite/concurrent-writes.ts';
import { keysAndValuesSection } from './suite/keys-and-values.ts';
import { listingSection } from './suite/listing.ts';
import { retentionSection } from './suite/retention.ts';
import { slicesSection } from './suite/slices.ts';
import type { OpenStore } from './suite/suite-store.ts';
import { watchingSection } from './suite/watching.ts';

/** Defines the tests that every implementation of `Store` must pass. Each section tests one guarantee. */
export function storeSuite(name: string, open: OpenStore): void {
  describe(name, () => {
    keysAndValuesSection(open);
    listingSection(open);
    watchingSection(open);
    concurrentWritesSection(open);
    retentionSection(open);
    slicesSection(open);
  });
}
