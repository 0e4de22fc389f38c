import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { RegisterValue } from './histories/register-operation.ts';
import type { RegisterEndpoint } from './register-client.ts';

/** A change of a register, as a watch reported it. */
export interface WatchedChange {
  readonly register: string;
  readonly value: RegisterValue;
  readonly revision: number;
}

interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly data?: { readonly value?: string };
    readonly code?: number;
  };
}

/**
 * Watches all registers from a given revision. Whenever a watch ends, the watcher continues at the next replica, after
 * the last revision that it has received.
 */
export class RegisterWatcher {
  readonly changes: WatchedChange[] = [];
  /** The errors that watches reported, such as 410. After an error, the watcher may have missed changes. */
  readonly errors: string[] = [];
  readonly #endpoints: readonly RegisterEndpoint[];
  readonly #dispatcher = new Agent({ connect: { rejectUnauthorized: false, timeout: 2_000 }, bodyTimeout: 0 });
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #at: number;
  #revision: string;

  constructor(endpoints: readonly RegisterEndpoint[], first: number, revision: string) {
    this.#endpoints = endpoints;
    this.#at = first;
    this.#revision = revision;
    this.#done = this.#watch();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
    await this.#dispatcher.destroy();
  }

  /** Resolves when a change with this revision or a later one has been received. */
  async reach(revision: number): Promise<void> {
    while ((this.changes.at(-1)?.revision ?? 0) < revision) await delay(20, undefined, { signal: this.#end.signal });
  }

  async #watch(): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        await this.#watchOnce();
      } catch {
        // The replica is not available, so the loop tries the next one.
      }
      this.#at++;
      if (!this.#end.signal.aborted) await delay(50);
    }
  }

  async #watchOnce(): Promise<void> {
    const endpoint = this.#endpoints[this.#at % this.#endpoints.length];
    if (endpoint === undefined) throw new Error('a watcher needs a replica');
    // A replica that is cut off cannot end the watch of a client. The timeout makes sure that each watch ends.
    const query = `watch=1&resourceVersion=${this.#revision}&timeoutSeconds=5`;
    const response = await request(`${endpoint.url}?${query}`, {
      dispatcher: this.#dispatcher,
      headers: { authorization: `Bearer ${endpoint.token}` },
      signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(7_000)]),
    });
    if (response.statusCode !== 200) {
      const text = await response.body.text();
      if (response.statusCode === 410) this.errors.push(text);
      return;
    }
    for await (const line of createInterface({ input: response.body })) {
      this.#note(JSON.parse(line) as WatchLine);
    }
  }

  #note({ type, object }: WatchLine): void {
    if (type === 'ERROR') {
      // A server that is cut off from etcd ends its watches with 503. The watcher continues at another replica.
      if (object.code !== 503) this.errors.push(JSON.stringify(object));
      return;
    }
    const { name, resourceVersion } = object.metadata;
    this.#revision = resourceVersion;
    if (type === 'BOOKMARK') return;
    const value = type === 'DELETED' ? undefined : object.data?.value;
    this.changes.push({ register: name, value, revision: Number(resourceVersion) });
  }
}
