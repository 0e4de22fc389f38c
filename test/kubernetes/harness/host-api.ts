import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { parseTrustedJson } from '../../../src/lib/json-parse.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json-value.ts';
import { linesOf } from '../../../src/lib/lines.ts';

export interface HostAnswer {
  readonly code: number;
  readonly body: JsonObject;
}

/** The API of the test cluster as its administrator has it, with nothing of the server under test in between. */
export interface HostApi {
  ask(method: string, path: string, body?: JsonValue, type?: string): Promise<HostAnswer>;
  /** Asks, and throws where the answer is no success. */
  ok(method: string, path: string, body?: JsonValue, type?: string): Promise<JsonObject>;
  /** Calls with every event of a collection, everything that is there first; goes on until the signal fires. */
  watch(path: string, hear: (type: string, object: JsonObject) => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function hostApi(url: string, ca: string, token: string): HostApi {
  const dispatcher = new Agent({ connect: { ca } });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'test-harness' };

  async function ask(method: string, path: string, body?: JsonValue, type = 'application/json'): Promise<HostAnswer> {
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
    ask,
    async ok(method, path, body, type) {
      const answer = await ask(method, path, body, type);
      if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async watch(path, hear, signal) {
      while (!signal.aborted) {
        try {
          const glue = path.includes('?') ? '&' : '?';
          const answer = await request(`${url}${path}${glue}watch=true`, {
            dispatcher,
            headers,
            signal,
            bodyTimeout: 0,
          });
          for await (const line of linesOf(answer.body)) {
            const { type, object } = parseTrustedJson(line) as { type: string; object: JsonObject };
            hear(type, object);
          }
        } catch {
          // The cluster may be stopped, frozen or gone for a while: that is what some tests are about.
        }
        await delay(200, undefined, { signal }).catch(() => {});
      }
    },
    close: () => dispatcher.destroy(),
  };
}
