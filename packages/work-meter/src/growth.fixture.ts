import { expect } from 'vitest';

const kilobyte = 1024;
/** Sizes from 1 kB to the maximum size of a request, 3 MB. */
const sizes = [1, 4, 16, 64, 256, 1024, 3072].map((kilobytes) => kilobytes * kilobyte);

/**
 * Checks that the work for inputs of 1 kB to 3 MB grows no faster than n log n. `workOf` evaluates an input of about
 * the given size and returns the work that it took, for example `WorkMeter.used`. An input that is rejected at a limit
 * returns the work until then, so it also passes. `maxBytes` ends the check at smaller inputs, if larger ones take too
 * long for a quick test; another test should then check all of them.
 */
export async function expectNearlyLinearGrowth(
  workOf: (bytes: number) => number | Promise<number>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const [first = kilobyte, ...others] = sizes.filter((size) => size <= maxBytes);
  const perUnit = (await workOf(first)) / nLogN(first);
  for (const size of others) {
    // The smallest input has little work, so constant costs count more in it; the factor allows for rounding.
    expect(await workOf(size), `work for ${size} bytes`).toBeLessThanOrEqual(Math.max(perUnit, 0.1) * nLogN(size) * 2);
  }
}

function nLogN(size: number): number {
  return size * Math.log2(size);
}
