import { type Status, StatusError } from '../../api/status.ts';
import type { ErrorCodec } from '../../lib/link/message-link.ts';

/** An error that is sent to another thread: an API error, or the text of an unexpected error for the log. */
export type EncodedError = { readonly status: Status } | { readonly message: string; readonly stack: string };

export function encodeError(error: unknown): EncodedError {
  if (error instanceof StatusError) return { status: error.status };
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { message, stack };
}

export function decodeError(encoded: EncodedError): Error {
  if ('status' in encoded) return new StatusError(encoded.status);
  const error = new Error(encoded.message);
  error.stack = encoded.stack;
  return error;
}

export const planeErrors: ErrorCodec = {
  encode: encodeError,
  decode: (encoded) => decodeError(encoded as EncodedError),
};
