import type { KubeObject } from './meta.ts';

/**
 * True if the grace period of an object that is being deleted is over. Without a grace period, the deletionTimestamp is
 * not compared with the clock: if the clock was set back after the delete, the comparison would fail, and no later
 * check would complete the deletion.
 */
export function isGracePeriodOver(object: KubeObject, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 || Date.parse(deletionTimestamp) <= now;
}
