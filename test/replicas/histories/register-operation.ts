/** The value of a register; `undefined` if the object that holds it does not exist. */
export type RegisterValue = string | undefined;

/**
 * An operation on one register, as its client saw it. All written values differ, so a value identifies the write that it
 * comes from.
 */
export type RegisterOperation = {
  readonly register: string;
  /** Milliseconds of one monotonic clock. */
  readonly startedAt: number;
  /** Infinity if the client does not know whether the operation was executed, because it may be executed later. */
  readonly endedAt: number;
} & (Read | Change);

interface Read {
  readonly kind: 'read';
  readonly found: RegisterValue;
}

/** Replaces the value `from` by `to`. `undefined` as `from` is a create, `undefined` as `to` is a delete. */
interface Change {
  readonly kind: 'change';
  readonly from: RegisterValue;
  readonly to: RegisterValue;
  /** `refused` means that the register did not have the value `from`. */
  readonly result: 'done' | 'refused' | 'unknown';
}
