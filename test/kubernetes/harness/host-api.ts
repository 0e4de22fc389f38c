import { setTimeout as delay } from 'node:timers/promises';
import { type JsonObject, type JsonValue, parseTrustedJson } from '@flotilla/json';
import { Agent, request } from 'undici';
import { readLines } from '../../../src/lib/read-lines.ts';

export interface HostResponse {
  readonly code: number;
  readonly body: JsonObject;
}

/** Administrator access to the API of the test cluster, without the server under test in between. */
export interface HostApi {
  request(method: string, path: string, body?: JsonValue, type?: string): Promise<HostResponse>;
  /** Sends a request and throws unless it succeeds. */
  ok(method: string, path: string, body?: JsonValue, type?: string): Promise<JsonObject>;
  /** Watches a collection from its current state until the signal fires, and calls `onEvent` with each event. */
  watch(path: string, onEvent: (type: string, object: JsonObject) => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function hostApi(url: string, ca: string, token: string): HostApi {
  const dispatcher = new Agent({ connect: { ca } });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'test-harness' };

  async function ask(method: string, path: string, body?: JsonValue, type = 'application/json'): Promise<HostResponse> {
    const answer = await request(`${url}${path}`, {
      dispatcher,
      method: method as 'GET',
      headers: { ...headers, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { code: answer.statusCode, body: (text.startsWith('{') ? parseTrustedJson(text) : { text }) as JsonObject };
  }

  return {
    request: ask,
    async ok(method, path, body, type) {
      const answer = await ask(method, path, body, type);
      if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async watch(path, onEvent, signal) {
      while (!signal.aborted) {
        try {
          const glue = path.includes('?') ? '&' : '?';
          const answer = await request(`${url}${path}${glue}watch=true`, {
            dispatcher,
            headers,
            signal,
            bodyTimeout: 0,
          });
          for await (const line of readLines(answer.body)) {
            const { type, object } = parseTrustedJson(line) as { type: string; object: JsonObject };
            onEvent(type, object);
          }
        } catch {
          // Some tests stop, freeze or remove the cluster for a while, so the watch is retried.
        }
        await delay(200, undefined, { signal }).catch(() => {});
      }
    },
    close: () => dispatcher.destroy(),
  };
}
