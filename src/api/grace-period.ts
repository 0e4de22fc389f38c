import type { KubeObject } from './meta.ts';

/**
 * True if the grace period of an object that is being deleted has ended. Without a grace period it has always ended,
 * whatever the clock reads: the clock may have been set back since, and no later check would complete the deletion.
 */
export function isGracePeriodOver(object: KubeObject, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 || Date.parse(deletionTimestamp) <= now;
}
