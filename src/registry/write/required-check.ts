import type { RevisionCheck } from '../../store/store.ts';

/** A condition of a write other than the version of its object. */
export interface RequiredCheck extends RevisionCheck {
  /**
   * Called if this check failed. Returns the error of the write. If it is absent or returns `undefined`, the write is
   * retried with the current state.
   */
  onFailure?(): Error | undefined;
}
