import { internalError, StatusError } from '../api/status.ts';
import type { Log } from '../lib/log.ts';
import type { IncomingRequest } from './exchange.ts';
import { negotiateError } from './negotiate/negotiate.ts';
import { render } from './negotiate/render.ts';
import type { Reply } from './reply.ts';
import { rawQuery } from './request/path-segments.ts';

/**
 * The only writer of error bodies. API errors are returned as they are. Other errors are bugs: they are logged with
 * their stack, and the response does not reveal them.
 */
export function errorReply(request: IncomingRequest, error: unknown, log: Log, auditId?: string): Reply {
  const { status, code } = statusErrorOf(request, error, log, auditId);
  const form = negotiateError(request, new URLSearchParams(rawQuery(request.url)));
  const reply = render(JSON.stringify(status), code, form);
  // Error messages repeat client input; a browser must not render one as a page (rule ERR-12).
  reply.headers['x-content-type-options'] = 'nosniff';
  const seconds = status.details?.retryAfterSeconds ?? 0;
  if (seconds > 0) reply.headers['retry-after'] = String(seconds);
  return reply;
}

function statusErrorOf(request: IncomingRequest, error: unknown, log: Log, auditId?: string): StatusError {
  if (error instanceof StatusError) return error;
  // A disconnect often makes the work for that client fail, and no client is left to read the response.
  if (request.signal.aborted) return internalError('the request was canceled');
  log.error({ err: error, auditId, method: request.method }, 'request failed');
  return internalError('the server failed to complete the request; the server log has the details');
}

/** Escapes client input that becomes part of a message (rule ERR-12). */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
