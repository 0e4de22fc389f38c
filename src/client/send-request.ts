import { type Status, StatusError } from '../api/status.ts';

/**
 * The subset of `fetch` that clients use. In a browser, callers pass the browser's own `fetch`. In Node, callers pass a
 * function that trusts the server's CA.
 */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<FetchedResponse>;

export interface FetchedResponse {
  readonly status: number;
  text(): Promise<string>;
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;
}

export interface RequestSender {
  readonly fetch: Fetch;
  /**
   * Returns the bearer token. Called for each request, so that a renewed access key is used immediately. Returns
   * `undefined` if a cookie authenticates the request.
   */
  token?(): string | undefined;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** The Accept header. Optional; defaults to `application/json`. */
  readonly accept?: string;
  readonly body?: { readonly type: string; readonly text: string };
  /** Further headers. Optional. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Sends one HTTP request with the caller's credential. Throws a StatusError for every error response, even if a proxy
 * sent it.
 */
export async function sendRequest(
  sender: RequestSender,
  { method, url, accept = 'application/json', body, headers, signal }: HttpRequest,
): Promise<FetchedResponse> {
  const token = sender.token?.();
  const response = await sender.fetch(url, {
    method,
    headers: {
      ...headers,
      Accept: accept,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': body.type }),
    },
    ...(body === undefined ? {} : { body: body.text }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status >= 400) throw toStatusError(response.status, await response.text());
  return response;
}

/** The error body of a token endpoint (RFC 6749, section 5.2). */
interface OAuthError {
  readonly error: string;
  readonly error_description?: unknown;
}

/**
 * Converts an OAuth error to a StatusError. The details of the StatusError contain a cause whose reason is the OAuth
 * error code.
 */
function fromOAuthError(code: number, { error, error_description: description }: OAuthError): StatusError {
  const message = typeof description === 'string' ? description : error;
  const details = { causes: [{ reason: error, message }] };
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, details, code });
}

/**
 * Returns an error response as a StatusError, even if its body is not a Status object, such as a proxy's error page.
 */
function toStatusError(code: number, text: string): StatusError {
  try {
    const body = JSON.parse(text) as Status | OAuthError;
    if ('kind' in body && body.kind === 'Status') return new StatusError(body);
    if ('error' in body && typeof body.error === 'string') return fromOAuthError(code, body);
  } catch {
    // Ignore the error: the body is not a Status object. The StatusError below quotes the body.
  }
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the server returned status ${code}: ${text.slice(0, 200)}`,
    code,
  });
}
