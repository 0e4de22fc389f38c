export type StoreErrorCode =
  /** A check of a transaction did not hold; nothing was written. */
  | 'CheckFailed'
  /** History up to the revision asked for has been compacted away. */
  | 'Expired'
  /** The revision asked for does not exist yet. */
  | 'FutureRevision'
  /**
   * The medium refuses to write (full, read-only, failing), or too much waits to be written. Nothing was written; reads
   * go on. Only where the medium failed in the midst of writing and does not come back at once is the outcome open: it
   * shows, and observers hear of it, when the medium works again.
   */
  | 'Unavailable'
  /** What was read is not what was written: the disk, or somebody, has changed it. It is given to nobody. */
  | 'Damaged'
  | 'InvalidKey'
  | 'Closed'
  /** At open: another process holds it, it is another installation's, newer than this program, or damaged. */
  | 'CannotOpen';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** CheckFailed: the index of the check that failed. Expired: the oldest revision that can still be asked for. */
  readonly detail?: number;

  constructor(code: StoreErrorCode, message: string, detail?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    if (detail !== undefined) this.detail = detail;
  }
}

/** Throws Expired unless everything after `since` is still known. */
export function assertKept(slice: string, since: number, floor: number): void {
  if (since >= floor) return;
  const message = `the history of slice ${JSON.stringify(slice)} after revision ${since} is gone; it begins after ${floor}`;
  throw new StoreError('Expired', message, floor);
}

export function futureRevision(asked: number, highest: number): StoreError {
  return new StoreError('FutureRevision', `revision ${asked} does not exist yet; the highest is ${highest}`);
}

export function storeClosed(): StoreError {
  return new StoreError('Closed', 'the store is closed');
}

/** Whoever was at work when the store was closed has nothing more to do. */
export function isStoreClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'Closed';
}
