import { type JsonValue, parseTrustedJson, writeJson } from '@flotilla/json';
import { freshLoginCause } from '../../src/api/naming.ts';
import { StatusError } from '../../src/api/status.ts';
import {
  type FetchedResponse,
  type HttpRequest,
  type RequestSender,
  sendRequest,
} from '../../src/client/send-request.ts';
import { passwordPrompt } from './session/password-prompt.ts';
import { session } from './session/session.ts';

/**
 * Returns headers that prove that this page sent the request, and that contain the name of the page's login. Pages of
 * other origins cannot set these headers.
 */
function consoleHeaders(): Record<string, string> {
  const login = session.login();
  return { 'X-Flotilla-Console': '1', ...(login === undefined ? {} : { 'X-Flotilla-Session': login }) };
}

/** Sends requests with the session cookie, which scripts cannot read. */
export const pageSender: RequestSender = {
  async fetch(url, init) {
    const response = await fetch(url, {
      ...init,
      headers: { ...init.headers, ...consoleHeaders() },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    return response as unknown as FetchedResponse;
  },
};

/**
 * Sends one request. Throws an error response as `StatusError`. A 401 response ends the session in all browser tabs. If
 * the request needs a recent login, asks for the password and sends the request again.
 */
export async function send(request: HttpRequest): Promise<FetchedResponse> {
  try {
    return await sendOnce(request);
  } catch (error) {
    if (needsFreshLogin(error) && (await passwordPrompt.ask())) return await sendOnce(request);
    throw error;
  }
}

function needsFreshLogin(error: unknown): boolean {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === freshLoginCause);
}

async function sendOnce(request: HttpRequest): Promise<FetchedResponse> {
  const login = session.login();
  try {
    return await sendRequest(pageSender, request);
  } catch (error) {
    endSessionOn401(error, login);
    throw error;
  }
}

/**
 * Ends the session in all browser tabs if the error is a 401, from a response or a watch. `login` is the login with
 * which the request was sent. If the page has a newer login, the error is ignored.
 */
export function endSessionOn401(error: unknown, login: string | undefined): void {
  if (error instanceof StatusError && error.code === 401 && session.login() === login) session.ended();
}

export interface JsonRequest {
  readonly method?: string;
  readonly url: string;
  readonly accept?: string;
  /** The request body, sent as JSON with the given content type. */
  readonly document?: JsonValue | object;
  readonly contentType?: string;
  /** Further headers. Optional. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request and returns the JSON body of the response. */
export async function sendJson<T = JsonValue>(request: JsonRequest): Promise<T> {
  const { method = 'GET', url, accept, document, contentType = 'application/json', headers, signal } = request;
  const response = await send({
    method,
    url,
    ...(accept === undefined ? {} : { accept }),
    ...(document === undefined ? {} : { body: { type: contentType, text: writeJson(document as JsonValue) } }),
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return (text === '' ? null : parseTrustedJson(text)) as T;
}
