import { StatusError } from '../../src/api/status.ts';
import { type FetchedResponse, type HttpRequest, type Sender, sendRequest } from '../../src/client/send-request.ts';
import { parseTrustedJson } from '../../src/lib/json-parse.ts';
import type { JsonValue } from '../../src/lib/json-value.ts';
import { writeJson } from '../../src/lib/json-write.ts';
import { session } from './session.ts';

/** The proof that a request comes from this page, and for which login: no other origin can send it along. */
function proof(): Record<string, string> {
  const login = session.login();
  return { 'X-Flotilla-Console': '1', ...(login === undefined ? {} : { 'X-Flotilla-Session': login }) };
}

/** Requests of this page: the cookie says who asks, no script ever sees it. */
export const pageSender: Sender = {
  async fetch(url, init) {
    const response = await fetch(url, {
      ...init,
      headers: { ...init.headers, ...proof() },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    return response as unknown as FetchedResponse;
  },
};

/** One request. An answer that says no is thrown as StatusError; a 401 ends the session of every page. */
export async function send(request: HttpRequest): Promise<FetchedResponse> {
  const login = session.login();
  try {
    return await sendRequest(pageSender, request);
  } catch (error) {
    noticeEnd(error, login);
    throw error;
  }
}

/**
 * A 401, as an answer or as the last word of a stream, ends the session of every page. `login`: the one that it was
 * asked with; of one from before it says nothing new.
 */
export function noticeEnd(error: unknown, login: string | undefined): void {
  if (error instanceof StatusError && error.code === 401 && session.login() === login) session.ended();
}

export interface JsonRequest {
  readonly method?: string;
  readonly url: string;
  readonly accept?: string;
  /** Sent as JSON, or as the type given. */
  readonly document?: JsonValue | object;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** The JSON that comes back. */
export async function sendJson<T = JsonValue>(request: JsonRequest): Promise<T> {
  const { method = 'GET', url, accept, document, contentType = 'application/json', signal } = request;
  const response = await send({
    method,
    url,
    ...(accept === undefined ? {} : { accept }),
    ...(document === undefined ? {} : { body: { type: contentType, text: writeJson(document as JsonValue) } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return (text === '' ? null : parseTrustedJson(text)) as T;
}
