import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { SeededRandom } from '../bad-days/seeded-random.ts';
import { expectConsistentHistory } from './check-history.ts';
import { RegisterClient, type RegisterEndpoint } from './register-client.ts';
import { RegisterWatcher } from './register-watcher.ts';

const clientCount = 6;
const registerCount = 5;

/**
 * Clients that read and change registers at all replicas, and one watcher per replica. They run until they are stopped.
 */
export class RegisterWorkload {
  readonly #endpoints: readonly RegisterEndpoint[];
  readonly #clients: RegisterClient[];
  readonly #watchers: RegisterWatcher[];
  readonly #random: SeededRandom;
  readonly #name: string;
  readonly #running: Promise<void>[];
  #stopped = false;
  /** The times at which changes were acknowledged, in milliseconds of the monotonic clock. */
  readonly acknowledgedAt: number[] = [];

  private constructor(
    endpoints: readonly RegisterEndpoint[],
    options: { readonly name: string; readonly seed: number; readonly revision: string },
  ) {
    this.#endpoints = endpoints;
    this.#name = options.name;
    this.#random = new SeededRandom(options.seed);
    this.#watchers = endpoints.map((_, index) => new RegisterWatcher(endpoints, index, options.revision));
    this.#clients = Array.from({ length: clientCount }, () => new RegisterClient(endpoints));
    this.#running = this.#clients.map((client, index) => this.#run(client, index));
  }

  /** Starts clients and watchers. The name must be unique, because the registers are named after it. */
  static async start(endpoints: readonly RegisterEndpoint[], name: string, seed: number): Promise<RegisterWorkload> {
    const { metadata } = await listRegisters(endpoints);
    return new RegisterWorkload(endpoints, { name, seed, revision: metadata.resourceVersion });
  }

  /** Resolves after `count` more changes have been acknowledged. */
  async progress(count: number): Promise<void> {
    for (const goal = this.acknowledgedAt.length + count; this.acknowledgedAt.length < goal; ) await delay(10);
  }

  /**
   * Resolves when a change is acknowledged after the time `after`. Returns the milliseconds from `after` to the
   * acknowledgment.
   */
  async untilChange(after: number): Promise<number> {
    for (;;) {
      const next = this.acknowledgedAt.find((at) => at > after);
      if (next !== undefined) return next - after;
      await delay(5);
    }
  }

  /** Stops the clients, waits until the watchers have received all changes, and checks the whole history. */
  async stopAndCheck(): Promise<{ readonly operations: number; readonly changes: number; readonly unknown: number }> {
    this.#stopped = true;
    await Promise.all(this.#running);
    // Makes one last change. A watcher that has received it has received all earlier changes.
    const last = new RegisterClient(this.#endpoints);
    while (!(await last.change(`${this.#name}-end`, `${this.#name}-end`, 0))) await delay(100);
    const end = last.acknowledged[0]?.revision ?? '';
    const { items } = await listRegisters(this.#endpoints, `resourceVersion=${end}&resourceVersionMatch=Exact`);
    await last.close();
    await Promise.all(this.#watchers.map((watcher) => watcher.reach(Number(end))));
    await Promise.all(this.#watchers.map((watcher) => watcher.stop()));
    await Promise.all(this.#clients.map((client) => client.close()));
    const operations = this.#clients.flatMap((client) => client.operations);
    expectConsistentHistory({
      operations,
      acknowledged: this.#clients.flatMap((client) => client.acknowledged),
      watched: this.#watchers.map(({ changes }) =>
        changes.filter(({ register, revision }) => this.#isOwn(register) && revision < Number(end)),
      ),
      stored: new Map(
        items
          .filter(({ metadata: { name } }) => this.#isOwn(name))
          .map(({ metadata, data }) => [
            metadata.name,
            { value: data?.value ?? '', revision: metadata.resourceVersion },
          ]),
      ),
    });
    expect(this.#watchers.flatMap(({ errors }) => errors)).toEqual([]);
    const unknown = operations.filter((operation) => operation.endedAt === Number.POSITIVE_INFINITY).length;
    return { operations: operations.length, changes: this.acknowledgedAt.length, unknown };
  }

  /** True if the register belongs to the clients of this workload. */
  #isOwn(register: string): boolean {
    return register.startsWith(`${this.#name}-`) && !register.endsWith('-end');
  }

  async #run(client: RegisterClient, index: number): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const register = `${this.#name}-${this.#random.below(registerCount)}`;
      const at = this.#random.below(this.#endpoints.length);
      const choice = this.#random.below(10);
      if (choice < 4) await client.read(register, at);
      else if (await client.change(register, choice < 9 ? `${this.#name}-${index}-${n}` : undefined, at)) {
        this.acknowledgedAt.push(performance.now());
      }
    }
  }
}

interface RegisterList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly data?: { readonly value?: string };
  }[];
}

const listing = new Agent({ connect: { rejectUnauthorized: false, timeout: 2_000 } });

/** Lists the registers at the first replica that responds. */
async function listRegisters(endpoints: readonly RegisterEndpoint[], query = ''): Promise<RegisterList> {
  for (let attempt = 0; ; attempt++) {
    const endpoint = endpoints[attempt % endpoints.length];
    try {
      const response = await request(`${endpoint?.url}?${query}`, {
        dispatcher: listing,
        headers: { authorization: `Bearer ${endpoint?.token}` },
        signal: AbortSignal.timeout(5_000),
      });
      if (response.statusCode === 200) return (await response.body.json()) as RegisterList;
      await response.body.dump();
    } catch (error) {
      if (attempt > 60) throw error;
    }
    await delay(200);
  }
}
