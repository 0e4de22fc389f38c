import type { JsonValue } from '@flotilla/json';
import { Agent, type Dispatcher } from 'undici';

export interface Sent {
  readonly method: Dispatcher.HttpMethod;
  /** The path from the root of the server. */
  readonly path: string;
  readonly body?: JsonValue;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly code: number;
  readonly text: string;
}

/** Sends requests over keep-alive connections: the matrix has thousands of cells. */
export class Caller {
  readonly #origin: string;
  readonly #agent: Agent;

  /** `localAddress` is the source address that the server sees. */
  constructor(origin: string, ca: string, { localAddress = '127.0.0.1', connections = 16 } = {}) {
    this.#origin = origin;
    this.#agent = new Agent({ connections, localAddress, connect: { ca } });
  }

  async send(token: string, { method, path, body, type, headers }: Sent): Promise<Received> {
    const response = await this.#agent.request({
      origin: this.#origin,
      path,
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { code: response.statusCode, text: await response.body.text() };
  }

  /** Sends a GET request and returns the response body as a stream, for watches. */
  async open(token: string, path: string): Promise<Dispatcher.ResponseData> {
    const headers = { authorization: `Bearer ${token}` };
    return await this.#agent.request({ origin: this.#origin, path, method: 'GET', headers });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Processes `items` with limited concurrency. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>, atATime = 16): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
