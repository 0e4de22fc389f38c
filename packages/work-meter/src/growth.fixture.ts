import { expect } from 'vitest';

const kilobyte = 1024;
/** Sizes from 1 kB to the maximum size of a request, 3 MB. */
const sizes = [1, 4, 16, 64, 256, 1024, 3072].map((kilobytes) => kilobytes * kilobyte);

/**
 * Checks that the work for inputs of 1 kB to 3 MB grows no faster than n log n. `workOf` evaluates an input of about
 * the given size and returns the work that this took, for example `WorkMeter.used`. For an input that is rejected at a
 * limit, `workOf` returns the work up to the rejection, so such an input also passes. `maxBytes` limits the size of the
 * inputs if larger ones take too long for a quick test. Another test should then check all sizes.
 */
export async function expectNearlyLinearGrowth(
  workOf: (bytes: number) => number | Promise<number>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const [first = kilobyte, ...others] = sizes.filter((size) => size <= maxBytes);
  const perUnit = (await workOf(first)) / nLogN(first);
  for (const size of others) {
    // In the smallest input, constant costs are a large part of the work. The factor 2 allows for rounding.
    expect(await workOf(size), `work for ${size} bytes`).toBeLessThanOrEqual(Math.max(perUnit, 0.1) * nLogN(size) * 2);
  }
}

function nLogN(size: number): number {
  return size * Math.log2(size);
}
