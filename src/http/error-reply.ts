import { internalError, StatusError } from '../api/status.ts';
import type { Log } from '../lib/log.ts';
import type { IncomingRequest, Reply } from './exchange.ts';
import { negotiateError } from './negotiate.ts';
import { rawQuery } from './path-segments.ts';
import { render } from './render.ts';

/**
 * The one writer of error bodies. API errors are answered as they are; anything else is a fault of ours, logged with
 * its stack and answered without a word of what it was.
 */
export function errorReply(request: IncomingRequest, error: unknown, log: Log, auditId?: string): Reply {
  const { status, code } = statusErrorOf(request, error, log, auditId);
  const form = negotiateError(request, new URLSearchParams(rawQuery(request.url)));
  const reply = render(JSON.stringify(status), code, form);
  // Error texts repeat what clients sent; no browser may take one for a page (rule ERR-12).
  reply.headers['x-content-type-options'] = 'nosniff';
  const seconds = status.details?.retryAfterSeconds ?? 0;
  if (seconds > 0) reply.headers['retry-after'] = String(seconds);
  return reply;
}

function statusErrorOf(request: IncomingRequest, error: unknown, log: Log, auditId?: string): StatusError {
  if (error instanceof StatusError) return error;
  // A client that went away often makes what worked for it fail; nobody is left to read the answer.
  if (request.signal.aborted) return internalError('the request was given up');
  log.error({ err: error, auditId, method: request.method }, 'request failed');
  return internalError('the server could not complete this request');
}

/** For text of a client's that becomes part of a message (rule ERR-12). */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
