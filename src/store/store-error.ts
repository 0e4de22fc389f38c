export type StoreErrorCode =
  /** A check of a transaction did not hold; nothing was written. */
  | 'CheckFailed'
  /** History up to the revision asked for has been compacted away. */
  | 'Expired'
  /** The revision asked for does not exist yet. */
  | 'FutureRevision'
  /** The medium refuses to write (full, read-only, failing). Nothing was written; reads go on. */
  | 'Unavailable'
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
