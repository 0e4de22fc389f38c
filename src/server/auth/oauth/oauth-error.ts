import type { Reply } from '../../../http/reply.ts';
import { jsonReply } from '../login-body.ts';

/** The error codes of RFC 6749, RFC 6750, RFC 8628 and RFC 8693 that this server returns. */
type OAuthErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'expired_token'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type';

interface OAuthErrorOptions {
  /** The HTTP status of the response. Optional; defaults to 400. */
  readonly status?: 401 | 429 | 503;
  readonly headers?: Reply['headers'];
}

/** An error response of an OAuth endpoint (RFC 6749, section 5.2). The message is for the client. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  /** Details that only the audit log contains, such as the user and the session. */
  auditDetail = '';
  readonly #options: OAuthErrorOptions;

  constructor(code: OAuthErrorCode, message: string, options: OAuthErrorOptions = {}) {
    super(message);
    this.code = code;
    this.#options = options;
  }

  reply(): Reply {
    const { status = 400, headers } = this.#options;
    // RFC 6749 allows only these characters in a description.
    const description = this.message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
    const body = { error: this.code, error_description: description };
    return jsonReply(status, body, { pragma: 'no-cache', ...headers });
  }
}

export function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description);
}

export function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', description);
}

/** Runs a handler. If the handler throws an `OAuthError`, returns its response. Other errors are passed on. */
export async function withOAuthErrors(run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OAuthError) return error.reply();
    throw error;
  }
}
