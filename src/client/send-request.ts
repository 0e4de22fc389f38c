import { type Status, StatusError } from '../api/status.ts';

/** What a client needs of `fetch`: the browser's own, or one of Node's with the right CA. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<FetchedResponse>;

export interface FetchedResponse {
  readonly status: number;
  text(): Promise<string>;
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;
}

export interface Sender {
  readonly fetch: Fetch;
  /** Asked for each request, so that a renewed key is used at once; undefined where a cookie does the work. */
  token?(): string | undefined;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Absent: plain JSON. */
  readonly accept?: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal?: AbortSignal;
}

/** One request with the caller's credential. An answer that says no is thrown as StatusError, whoever it comes from. */
export async function sendRequest(
  sender: Sender,
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
  if (response.status >= 400) throw refusal(response.status, await response.text());
  return response;
}

/** An answer that is no Status (a proxy's page, say) becomes one. */
function refusal(code: number, text: string): StatusError {
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === 'Status') return new StatusError(status);
  } catch {
    // The text is not ours; what it says is passed on below.
  }
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the server answered ${code}: ${text.slice(0, 200)}`,
    code,
  });
}
