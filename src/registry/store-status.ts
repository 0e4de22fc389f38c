import { badRequest, expired, type StatusError, serviceUnavailable, timedOut } from '../api/status.ts';
import { StoreError, type StoreErrorCode } from '../store/store-error.ts';

/** The Retry-After of a store that cannot write. */
const retryAfterSeconds = 5;

/**
 * Translates errors of the store to API errors. Verbs handle the codes that matter to them (CheckFailed, Expired,
 * FutureRevision) themselves; this covers the rest. Damage is not translated: it is an internal error, which is logged,
 * and clients do not learn what could not be read.
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
      return serviceUnavailable(`the store could not resolve a write conflict: ${message}`, 1);
    case 'InvalidKey':
      return badRequest(message);
  }
}

/** Awaits a call of the store and translates its error to an API error. */
export async function withStatusErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toStatusError(error);
  }
}
