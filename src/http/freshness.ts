import type { MaybePromise } from '../lib/maybe-promise.ts';

/**
 * Confirms that the caches of this process are current although other processes write to the same store. A process whose
 * store is not shared has no `Freshness`, because its caches always contain every acknowledged write.
 */
export interface Freshness {
  /**
   * Increases each time a confirmation finds writes that the caches may have lacked before. If the version is the same
   * before a decision and after the next confirmation, the decision was based on the current state.
   */
  readonly version: number;
  /**
   * Waits until the caches contain every write that was acknowledged before this call. Rejects with 503 if this is not
   * confirmed within a second.
   */
  confirm(): Promise<void>;
  /**
   * Returns `undefined` if a confirmation within the last second showed that the caches were current. Otherwise waits
   * for a confirmation, and rejects with 503 if the confirmation fails. While the caches are unconfirmed, no caller is
   * authenticated, because credentials may have been revoked.
   */
  requireCurrent(): Promise<void> | undefined;
  /** Fires when the caches could not be confirmed for four seconds. Replaced by a new signal after the next confirmation. */
  readonly lost: AbortSignal;
}

/**
 * Looks up a value in the caches. If the value is missing, waits until the caches contain every acknowledged write, and
 * looks it up again, because another replica may have just written it.
 */
export function findConfirmed<T>(
  freshness: Freshness | undefined,
  find: () => T | undefined,
): MaybePromise<T | undefined> {
  const version = freshness?.version;
  const found = find();
  if (found !== undefined || freshness === undefined) return found;
  return freshness.confirm().then(() => (freshness.version === version ? undefined : find()));
}
