import { type Status, StatusError } from '../api/status.ts';

/** The part of `fetch` that a client needs: the browser's own, or one from Node with the right CA. */
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
  /** Called for each request, so that a renewed key is used immediately. `undefined` if a cookie authenticates. */
  token?(): string | undefined;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Optional; defaults to plain JSON. */
  readonly accept?: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal?: AbortSignal;
}

/**
 * Sends one request with the caller's credential. Throws every error response as StatusError, whatever server sent it.
 */
export async function sendRequest(
  sender: RequestSender,
  { method, url, accept = 'application/json', body, signal }: HttpRequest,
): Promise<FetchedResponse> {
  const token = sender.token?.();
  const response = await sender.fetch(url, {
    method,
    headers: {
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

/** Converts a response that is not a Status (a proxy's error page, for example) into one. */
function toStatusError(code: number, text: string): StatusError {
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === 'Status') return new StatusError(status);
  } catch {
    // The body is not a Status. The error below quotes it.
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
