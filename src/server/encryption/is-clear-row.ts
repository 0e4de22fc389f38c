import { replicasSlice } from '../../replicas/replica-rows.ts';
import type { Key } from '../../store/key.ts';
import { installationRange, sealedRowNames } from '../data/installation.ts';

/**
 * True if a row is always stored in clear: the rows from which a server learns how to read the store, and the rows with
 * which servers register. They contain no data of users.
 */
export function isClearRow({ slice, segments: [name] }: Key): boolean {
  if (slice === replicasSlice) return true;
  return slice === installationRange.slice && !sealedRowNames.some((sealed) => sealed === name);
}
