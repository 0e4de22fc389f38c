import { Agent, request } from 'undici';
import type { RegisterOperation, RegisterValue } from './histories/register-operation.ts';

/** The timeout of a request in milliseconds. Slower requests count as unanswered. */
const longestRequest = 3_000;

/** A change that the server has acknowledged. */
export interface AcknowledgedChange {
  readonly register: string;
  readonly value: RegisterValue;
  /** The resourceVersion after the change. Absent for deletes, whose response does not contain it. */
  readonly revision?: string;
}

/**
 * The URL and token with which a client reaches the registers at one replica. `url` is the URL of a collection of
 * ConfigMaps; each ConfigMap is a register.
 */
export interface RegisterEndpoint {
  readonly url: string;
  readonly token: string;
}

interface Known {
  readonly value: RegisterValue;
  readonly revision?: string;
}

/**
 * Reads and changes registers, one operation at a time, each at a different replica. Records the operations and their
 * results. A change succeeds only if the register still has the value that this client last saw.
 */
export class RegisterClient {
  readonly operations: RegisterOperation[] = [];
  readonly acknowledged: AcknowledgedChange[] = [];
  readonly #endpoints: readonly RegisterEndpoint[];
  readonly #dispatcher = new Agent({ connect: { rejectUnauthorized: false, timeout: 2_000 } });
  /** For each register, the value and revision that the client last saw. */
  readonly #known = new Map<string, Known>();

  constructor(endpoints: readonly RegisterEndpoint[]) {
    this.#endpoints = endpoints;
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async read(register: string, at: number): Promise<void> {
    const startedAt = performance.now();
    const answer = await this.#send(at, 'GET', `/${register}`);
    if (answer.code !== 200 && answer.code !== 404) return;
    const known = answer.code === 404 ? { value: undefined } : readRegister(answer.body);
    this.#known.set(register, known);
    const endedAt = performance.now();
    this.operations.push({ register, kind: 'read', found: known.value, startedAt, endedAt });
  }

  /**
   * Changes the register from the value that this client last saw to the value `to`. Returns true if the change
   * succeeded.
   */
  async change(register: string, to: RegisterValue, at: number): Promise<boolean> {
    const known = this.#known.get(register) ?? { value: undefined };
    if (known.value === undefined && to === undefined) return false;
    const startedAt = performance.now();
    const { code, body } = await this.#sendChange(register, known, { to, at });
    const endedAt = performance.now();
    const change = { register, kind: 'change', from: known.value, to, startedAt } as const;
    if (code === 200 || code === 201) {
      const now = to === undefined ? { value: undefined } : readRegister(body);
      this.#known.set(register, now);
      this.acknowledged.push({ register, ...now });
      this.operations.push({ ...change, result: 'done', endedAt });
      return true;
    }
    this.#known.delete(register);
    if (code === 404 || code === 409) {
      this.operations.push({ ...change, result: 'refused', endedAt });
    } else if (code !== 503 && code !== 429 && code !== 507) {
      // The result is unknown, because the server may have executed the change. Only the status codes excluded above
      // guarantee that it did not.
      this.operations.push({ ...change, result: 'unknown', endedAt: Number.POSITIVE_INFINITY });
    }
    return false;
  }

  #sendChange(
    register: string,
    known: Known,
    { to, at }: { readonly to: RegisterValue; readonly at: number },
  ): Promise<Answer> {
    const { revision: resourceVersion } = known;
    if (to === undefined) return this.#send(at, 'DELETE', `/${register}`, { preconditions: { resourceVersion } });
    const metadata = { name: register, ...(known.value === undefined ? {} : { resourceVersion }) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: to } };
    return known.value === undefined
      ? this.#send(at, 'POST', '', object)
      : this.#send(at, 'PUT', `/${register}`, object);
  }

  async #send(at: number, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer> {
    const endpoint = this.#endpoints[at % this.#endpoints.length];
    if (endpoint === undefined) throw new Error('a client needs a replica');
    try {
      const response = await request(`${endpoint.url}${path}`, {
        dispatcher: this.#dispatcher,
        method,
        signal: AbortSignal.timeout(longestRequest),
        headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { code: response.statusCode, body: await response.body.json() };
    } catch {
      return { code: 0, body: undefined };
    }
  }
}

interface Answer {
  /** The HTTP status; 0 if there was no complete response. */
  readonly code: number;
  readonly body: unknown;
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly value?: string };
}

function readRegister(body: unknown): Known {
  const { metadata, data } = body as ConfigMap;
  return { value: data?.value, revision: metadata.resourceVersion };
}
