import { badRequest, expired, type StatusError, serviceUnavailable, timedOut } from '../api/status.ts';
import { StoreError, type StoreErrorCode } from '../store/store-error.ts';

/** What a store that cannot write is worth waiting for before the next try. */
const retryAfterSeconds = 5;

/**
 * The one translator from the store's errors to API errors. Verbs handle the codes that mean something to them
 * (CheckFailed, Expired, FutureRevision) themselves; this is for what is left. Damage stays what it is: a fault of ours,
 * to be logged, and no client is told what could not be read.
 */
export function toStatusError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  return error.code === 'Damaged' ? error : statusOf(error.code, error.message);
}

function statusOf(code: Exclude<StoreErrorCode, 'Damaged'>, message: string): StatusError {
  switch (code) {
    case 'Unavailable':
    case 'CannotOpen':
      return serviceUnavailable(message, retryAfterSeconds);
    case 'Closed':
      return serviceUnavailable('the server is shutting down', 1);
    case 'Expired':
      return expired(message);
    case 'FutureRevision':
      return timedOut(message);
    case 'CheckFailed':
      return serviceUnavailable(`the store could not settle a conflict: ${message}`, 1);
    case 'InvalidKey':
      return badRequest(message);
  }
}

/** Runs a call on the store; what it rejects with is an API error. */
export async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toStatusError(error);
  }
}
