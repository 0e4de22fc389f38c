export type StoreErrorCode =
  /** A check of a transaction did not hold; nothing was written. */
  | 'CheckFailed'
  /** The requested revision is older than the history that the store retains. */
  | 'Expired'
  /** The requested revision does not exist yet. */
  | 'FutureRevision'
  /**
   * The disk rejects writes (full, read-only, failing), or too many writes are queued. Nothing was written; reads
   * continue. The result is unknown only if the disk failed during the write and cannot be reopened at once. It becomes
   * visible, and observers receive it, when the disk works again.
   */
  | 'Unavailable'
  /** The stored bytes differ from what was written. The store never returns them. */
  | 'Damaged'
  | 'InvalidKey'
  | 'Closed'
  /**
   * Opening failed: another process uses the store, it belongs to another installation, it has a newer format, or it is
   * damaged.
   */
  | 'CannotOpen';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** CheckFailed: the index of the failed check. Expired: the oldest revision that can still be requested. */
  readonly detail?: number;

  constructor(code: StoreErrorCode, message: string, detail?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    if (detail !== undefined) this.detail = detail;
  }
}

/** Throws Expired unless the history retains every change after `since`. */
export function assertRetained(slice: string, since: number, floor: number): void {
  if (since >= floor) return;
  const message = `the history of slice ${JSON.stringify(slice)} after revision ${since} was compacted; the oldest available revision is ${floor}`;
  throw new StoreError('Expired', message, floor);
}

export function futureRevision(asked: number, highest: number): StoreError {
  return new StoreError('FutureRevision', `revision ${asked} does not exist yet; the highest revision is ${highest}`);
}

export function storeClosed(): StoreError {
  return new StoreError('Closed', 'the store is closed');
}

/** True if the error only reports that the store was closed; background work then just stops. */
export function isStoreClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'Closed';
}
