import { percentile as percentileOfSorted } from '../../bench/figures.mjs';

/** Returns the value that this share of the values does not exceed; 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  return values.length === 0 ? 0 : percentileOfSorted(Float64Array.from(values).sort(), share);
}
