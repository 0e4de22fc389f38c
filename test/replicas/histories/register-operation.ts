/** The value of a register; `undefined` if the object that holds it does not exist. */
export type RegisterValue = string | undefined;

/**
 * An operation on one register, as its client saw it. All written values differ, so each value identifies the write
 * that produced it.
 */
export type RegisterOperation = {
  readonly register: string;
  /** The start time in milliseconds of one monotonic clock. */
  readonly startedAt: number;
  /**
   * The end time in milliseconds. Infinity if the result is unknown, because the server may still execute the operation
   * later.
   */
  readonly endedAt: number;
} & (Read | Change);

interface Read {
  readonly kind: 'read';
  readonly found: RegisterValue;
}

/**
 * Replaces the value `from` by `to`. If `from` is `undefined`, the change is a create; if `to` is `undefined`, it is a
 * delete.
 */
interface Change {
  readonly kind: 'change';
  readonly from: RegisterValue;
  readonly to: RegisterValue;
  /** `refused` means that the register did not have the value `from` when the server executed the operation. */
  readonly result: 'done' | 'refused' | 'unknown';
}
