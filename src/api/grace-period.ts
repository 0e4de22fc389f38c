import type { KubeObject } from './meta.ts';

/**
 * An object that is being deleted has had all the time it was given. Without a grace period that is so whatever the
 * clock says: it may have been set back since, and nobody would come again for such an object.
 */
export function isGraceOver(object: KubeObject, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 || Date.parse(deletionTimestamp) <= now;
}
