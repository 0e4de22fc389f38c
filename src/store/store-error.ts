export type StoreErrorCode =
  /** A check of the transaction failed. Nothing was written. */
  | 'CheckFailed'
  /** The requested revision is older than the history that the store retains. */
  | 'Expired'
  /** The requested revision does not exist yet. */
  | 'FutureRevision'
  /**
   * The disk rejects writes because it is read-only or broken, or too many writes are queued. Nothing was written, and
   * reads continue to work. Also used if etcd cannot be reached or has no leader; then reads fail too. There is one
   * exception: if the disk failed during the write and the database could not be reopened, it is unknown whether the
   * write succeeded. If the write succeeded, readers and observers see it after the database was reopened.
   */
  | 'Unavailable'
  /**
   * The disk or the quota of etcd is full. Reads continue to work. The message describes how to free space. Nothing was
   * written, with one exception: if the disk failed during the write and the database could not be reopened, it is
   * unknown whether the write succeeded.
   */
  | 'OutOfSpace'
  /** The store did not confirm the transaction in time. It may or may not have been applied. */
  | 'UnknownOutcome'
  /** The transaction has too many writes or checks, or its values are too long. Nothing was written. */
  | 'TooLarge'
  /** The stored bytes differ from what was written. Reads of damaged rows fail with this error. */
  | 'Damaged'
  | 'InvalidKey'
  | 'Closed'
  /** The slice was removed, possibly by another process. Its name cannot be used again. */
  | 'SliceRemoved'
  /**
   * The store cannot be opened: another process uses it, it belongs to another installation, it has a newer format, or
   * it is damaged.
   */
  | 'CannotOpen';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /**
   * For CheckFailed, the index of the failed check. For Expired, the oldest revision that is available. Absent for
   * other codes.
   */
  readonly detail?: number;

  constructor(code: StoreErrorCode, message: string, detail?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    if (detail !== undefined) this.detail = detail;
  }
}

/**
 * Throws StoreError Expired if a change after revision `since` was compacted. `floor` is the last compacted revision.
 */
export function assertHistoryRetained(slice: string, since: number, floor: number): void {
  if (since >= floor) return;
  const message = `the history of slice ${JSON.stringify(slice)} after revision ${since} was compacted; the oldest available revision is ${floor}`;
  throw new StoreError('Expired', message, floor);
}

export function futureRevisionError(asked: number, highest: number): StoreError {
  return new StoreError('FutureRevision', `revision ${asked} does not exist yet; the highest revision is ${highest}`);
}

export function storeClosedError(): StoreError {
  return new StoreError('Closed', 'the store is closed');
}

export function sliceRemovedError(): StoreError {
  return new StoreError('SliceRemoved', 'the slice was removed');
}

/** True if the error means that the store was closed. Background work stops silently in this case. */
export function isStoreClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'Closed';
}
