import { StoreError } from '../store/store-error.ts';

/** True if a transaction has failed because a row is not at the expected revision. */
export function isCheckFailed(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'CheckFailed';
}
