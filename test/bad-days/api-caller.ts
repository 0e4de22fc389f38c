import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, type Dispatcher, request } from 'undici';
import type { FlotillaProcess } from '../harness/flotilla-process.ts';
import type { Json } from './corpus/bad-request.ts';

export const apiRoot = '/kubernetes/management';

/** An ordinary client of the server: one connection, the administrator's key, JSON. */
export class ApiCaller {
  readonly url: string;
  readonly ca: string;
  readonly key: string;
  readonly #root: string;
  readonly #agent: Agent;

  private constructor(url: string, ca: string, key: string, root: string) {
    this.#root = root;
    this.url = url;
    this.ca = ca;
    this.key = key;
    this.#agent = new Agent({ connect: { ca }, connections: 1 });
  }

  static async of(server: FlotillaProcess, root = apiRoot): Promise<ApiCaller> {
    const ca = await readFile(join(server.dataDirectory, 'ca.crt'), 'utf8');
    return new ApiCaller(server.url, ca, server.adminKey, root);
  }

  /** `path` is below the root of the API. A PATCH is a merge patch. */
  async send(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: Json,
    accept = 'application/json',
  ): Promise<{ status: number; text: string }> {
    const response = await request(`${this.url}${this.#root}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        accept,
        authorization: `Bearer ${this.key}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.statusCode, text: await response.body.text() };
  }

  async get(path: string, accept?: string): Promise<Json> {
    const { status, text } = await this.send('GET', path, undefined, accept);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text) as Json;
  }

  async make(path: string, body: Json): Promise<void> {
    const { status, text } = await this.send('POST', path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
