import type { KubeObject } from './meta.ts';

/**
 * True if the grace period of an object that is being deleted is over. Without a grace period the result is true at any
 * time of the clock. Otherwise, if the clock were set back after the delete, no later check would complete the
 * deletion.
 */
export function isGracePeriodOver(object: KubeObject, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 || Date.parse(deletionTimestamp) <= now;
}
