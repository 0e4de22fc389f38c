import { replicasSlice } from '../../replicas/replica-rows.ts';
import type { Key } from '../../store/key.ts';
import { installationRange, sealedRowNames } from '../data/installation.ts';

/**
 * True if a row is always stored in clear. This applies to the rows that tell a server how to read the store, and to
 * the rows with which servers register. These rows contain no data of users.
 */
export function isClearRow({ slice, segments: [name] }: Key): boolean {
  if (slice === replicasSlice) return true;
  return slice === installationRange.slice && !sealedRowNames.some((sealed) => sealed === name);
}
