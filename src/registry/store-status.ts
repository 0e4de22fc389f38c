import {
  badRequest,
  expired,
  insufficientStorage,
  requestTooLarge,
  type StatusError,
  serviceUnavailable,
  timedOut,
} from '../api/status.ts';
import { StoreError, type StoreErrorCode } from '../store/store-error.ts';

/** The value of the Retry-After header if the store is unavailable. */
const retryAfterSeconds = 5;

/**
 * Converts an error of the store to an API error. Verbs handle CheckFailed, Expired and FutureRevision themselves if
 * they have a better message. Damaged is not converted and therefore becomes an internal error: the details are logged,
 * and clients do not see them.
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
    case 'OutOfSpace':
      return insufficientStorage(message);
    case 'SliceRemoved':
      return serviceUnavailable('the control plane is being removed', 1);
    case 'Expired':
      return expired(message);
    case 'UnknownOutcome':
    case 'FutureRevision':
      return timedOut(message);
    case 'CheckFailed':
      return serviceUnavailable(`the store could not resolve a write conflict: ${message}`, 1);
    case 'TooLarge':
      return requestTooLarge(message);
    case 'InvalidKey':
      return badRequest(message);
  }
}

/** Awaits a store operation and converts its error to an API error. */
export async function withStatusErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toStatusError(error);
  }
}
