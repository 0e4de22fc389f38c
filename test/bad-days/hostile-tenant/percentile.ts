import { percentile as percentileOfSorted } from '../../bench/figures.mjs';

/**
 * Returns the percentile for a share: the value that this share of `values` does not exceed; 0 if `values` is empty.
 */
export function percentile(values: readonly number[], share: number): number {
  return values.length === 0 ? 0 : percentileOfSorted(Float64Array.from(values).sort(), share);
}
