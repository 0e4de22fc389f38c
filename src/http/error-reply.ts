import { internalError, StatusError } from '../api/status.ts';
import type { Log } from '../lib/log.ts';
import { toStatusError } from '../registry/store-status.ts';
import type { IncomingRequest } from './exchange.ts';
import { negotiateError } from './negotiate/negotiate.ts';
import { renderReply } from './negotiate/render.ts';
import type { Reply } from './reply.ts';
import { parseQueryLeniently } from './request/parse-query.ts';

/**
 * Returns the response for an error. All error responses are created here. A StatusError becomes the response body. An
 * error of the store is converted, because many handlers use the store without a registry. Any other error is a bug: it is
 * logged with its stack, and the response does not contain its message.
 */
export function errorReply(request: IncomingRequest, error: unknown, log: Log, auditId?: string): Reply {
  const { status, code } = statusErrorOf(request, error, log, auditId);
  const form = negotiateError(request, parseQueryLeniently(request.url));
  const reply = renderReply(JSON.stringify(status), code, form);
  // Error messages contain client input. This header keeps browsers from rendering a message as HTML (rule ERR-12).
  reply.headers['x-content-type-options'] = 'nosniff';
  const seconds = status.details?.retryAfterSeconds ?? 0;
  if (seconds > 0) reply.headers['retry-after'] = String(seconds);
  return reply;
}

function statusErrorOf(request: IncomingRequest, failure: unknown, log: Log, auditId?: string): StatusError {
  const error = toStatusError(failure);
  if (error instanceof StatusError) return error;
  // The client has disconnected. A disconnect often causes errors that are not bugs, and nobody reads the response.
  if (request.signal.aborted) return internalError('the request was canceled');
  log.error({ err: error, auditId, method: request.method }, 'request failed');
  return internalError(
    'the server failed to complete the request because of an internal error; see the server log for details',
  );
}
