import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Json } from '../corpus/bad-request.ts';
import { type Load, MachineLoad } from './machine-load.ts';
import { percentile } from './percentile.ts';
import type { Tenant } from './tenant.ts';

/** The latencies that the neighbour measured in a period, in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p99: number;
  readonly worst: number;
  /** The method and the path of the slowest request. */
  readonly worstRequest: string;
  /** Requests that did not get the expected status. */
  readonly failures: readonly string[];
}

interface Period {
  readonly times: number[];
  readonly failures: string[];
  readonly worst: { readonly milliseconds: number; readonly request: string };
}

/** The result of some work, and what the neighbour measured during the work. */
export interface Measured<T> {
  readonly result: T;
  readonly latencies: Latencies;
  /**
   * The load of the machine in the same period. The slowdown is the highest one before, during and after the period.
   */
  readonly load: Load;
}

interface MeasuredRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Json;
  readonly status: number;
}

const objects = '/api/v1/namespaces/kube-public/configmaps';
const intervalMs = 40;

/** A tenant that uses her own virtual cluster and the management API, and measures how long each request takes. */
export class Neighbour {
  readonly #thread: Worker;
  readonly #machine = new MachineLoad();

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async of(tenant: Tenant): Promise<Neighbour> {
    for (let number = 0; number < 20; number++) {
      await tenant.make(`${tenant.inside}${objects}`, { metadata: { name: `map-${number}` }, data: { key: 'value' } });
    }
    const requests: readonly MeasuredRequest[] = [
      { method: 'GET', path: `${tenant.inside}${objects}/map-1`, status: 200 },
      { method: 'GET', path: `${tenant.inside}${objects}`, status: 200 },
      {
        method: 'POST',
        path: `${tenant.inside}/api/v1/namespaces/default/configmaps`,
        body: { metadata: { generateName: 'map-' }, data: { key: 'value' } },
        status: 201,
      },
      { method: 'GET', path: `${tenant.instances}/${tenant.name}`, status: 200 },
      { method: 'GET', path: '/readyz', status: 200 },
      { method: 'GET', path: '/livez', status: 200 },
    ];
    const { url, ca, key } = tenant;
    const workerData = { url, ca, key, requests, intervalMs };
    const thread = new Worker(new URL('./neighbour-thread.mjs', import.meta.url), { workerData });
    return new Neighbour(thread);
  }

  /** Measures while `work` runs. Then waits for the responses to all requests that were sent in this time. */
  async measureDuring<T>(work: () => Promise<T>): Promise<Measured<T>> {
    const before = await this.#machine.slowdown();
    this.#thread.postMessage('begin');
    this.#machine.begin();
    try {
      const result = await work();
      const latencies = await this.#end();
      const { delay, slowdown } = await this.#machine.end();
      const highest = Math.max(before, slowdown, await this.#machine.slowdown());
      return { result, latencies, load: { delay, slowdown: highest } };
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async #end(): Promise<Latencies> {
    const received = once(this.#thread, 'message');
    this.#thread.postMessage('end');
    const [{ times, failures, worst }] = (await received) as [Period];
    return {
      count: times.length,
      p99: percentile(times, 0.99),
      worst: worst.milliseconds,
      worstRequest: worst.request,
      failures,
    };
  }

  async stop(): Promise<void> {
    const ended = once(this.#thread, 'exit');
    this.#thread.postMessage('stop');
    await Promise.all([ended, this.#machine.stop()]);
  }
}
