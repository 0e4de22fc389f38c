import { type JsonObject, type JsonValue, objectAt } from '@flotilla/json';
import { expect } from 'vitest';
import type { ParsedResponse, RequestOptions, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

export interface BrowserResponse extends ParsedResponse {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const cookieName = '__Host-flotilla-session';

/** Headers that replace the default headers of a request. The value `null` removes a header. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

/** Simulates a console page in a browser: sends the headers that `fetch` sends, and stores the session cookie. */
export class Browser {
  readonly #env: ServerTestEnv;
  readonly #server: RunningServer;
  /** The value of the session cookie; '' if there is none. */
  cookie = '';

  constructor(env: ServerTestEnv, server: RunningServer) {
    this.#env = env;
    this.#server = server;
  }

  async send(
    path: string,
    call: Omit<RequestOptions, 'token'> = {},
    changes: HeaderChanges = {},
  ): Promise<BrowserResponse> {
    const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(call.method ?? 'GET');
    const sent: Record<string, string | null> = {
      'x-flotilla-console': '1',
      'sec-fetch-site': 'same-origin',
      ...(isReading ? {} : { origin: this.#server.url }),
      ...(this.cookie === '' ? {} : { cookie: `${cookieName}=${this.cookie}` }),
      ...changes,
    };
    const headers = Object.fromEntries(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    const response = await this.#env.request(this.#server, path, { ...call, token: '' }, headers);
    const text = await response.body.text();
    const isJson = text !== '' && String(response.headers['content-type']).startsWith('application/json');
    this.#keep(response.headers['set-cookie']);
    return {
      code: response.statusCode,
      text,
      json: isJson ? JSON.parse(text) : {},
      headers: response.headers,
    };
  }

  async signIn(body: JsonValue): Promise<JsonObject> {
    const response = await this.send('/auth/session', { method: 'POST', body });
    expect(response.code, response.text).toBe(201);
    return response.json;
  }

  async signOut(): Promise<void> {
    const response = await this.send('/auth/session', { method: 'DELETE' });
    expect([response.code, this.cookie], response.text).toEqual([200, '']);
  }

  /** Returns the identity of the caller from a Self object. */
  async self(path: string, changes: HeaderChanges = {}): Promise<BrowserResponse & { readonly status: JsonObject }> {
    const response = await this.send(`${path}/selves`, { method: 'POST', body: {} }, changes);
    return { ...response, status: objectAt(response.json, 'status') ?? {} };
  }

  #keep(set: string | string[] | undefined): void {
    for (const line of [set ?? []].flat()) {
      const [, value] = /^__Host-flotilla-session=([^;]*);/.exec(line) ?? [];
      if (value !== undefined) this.cookie = value;
    }
  }
}
