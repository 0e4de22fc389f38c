import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import { type Competitor, LowestUsageOrder, type LowestUsageOrderOptions } from './lowest-usage-order.ts';

/** A caller of a tenant, and its waiting requests. */
interface Key extends Competitor {
  readonly waiting: LinkedQueue<Waiting>;
}

interface Tenant extends Competitor {
  readonly keys: LowestUsageOrder<Key>;
  /** The number of waiting requests of all keys. */
  waiting: number;
  /** True while the tenant gets no time slices. */
  isPaused: boolean;
}

interface Waiting {
  /** The position in the order of arrival, counted across all keys. */
  readonly number: number;
  begin(): void;
}

/** The key that has a time slice, and its tenant. */
export interface RunningKey {
  readonly tenant: Tenant;
  readonly key: Key;
}

export interface FairQueueOptions {
  /** The maximum debt of a tenant (`LowestUsageOrderOptions`). Optional. */
  readonly maxDebt?: number;
}

/** The minimum CPU time in milliseconds that is charged for a time slice, because scheduling also takes time. */
const minCost = 0.05;

/**
 * Requests that wait for a time slice. The next one goes to the tenant that has used the least CPU time, and there to the
 * key that has used the least.
 */
export class FairQueue {
  readonly #tenants: LowestUsageOrder<Tenant>;
  /** The number of waiting requests, without and with those of paused tenants. */
  #length = 0;
  #lengthWithPaused = 0;
  #keys = 0;
  /** The number of the busy period. It ends when no request waits; used CPU times need not be compared after that. */
  #period = 0;
  #sequence = 0;

  constructor({ maxDebt }: FairQueueOptions = {}) {
    this.#tenants = new LowestUsageOrder<Tenant>({
      create: (name, used, period) => ({
        name,
        used,
        period,
        keys: new LowestUsageOrder(keyOptions),
        waiting: 0,
        isPaused: false,
      }),
      firstArrivalOf: ({ keys }) => (keys.first === undefined ? 0 : keyOptions.firstArrivalOf(keys.first)),
      maxDebt,
    });
  }

  /* The numbers do not include paused tenants. */

  /** The number of waiting requests. */
  get length(): number {
    return this.#length;
  }

  /** The number of waiting keys. */
  get keys(): number {
    return this.#keys;
  }

  /** The number of waiting tenants. */
  get tenants(): number {
    return this.#tenants.size;
  }

  push(keyName: string, tenantName: string, begin: () => void): void {
    const tenant = this.#tenants.find(tenantName, this.#period);
    const key = tenant.keys.find(keyName, this.#period);
    const isNewKey = key.waiting.length === 0;
    key.waiting.push({ number: this.#sequence++, begin });
    tenant.waiting++;
    this.#lengthWithPaused++;
    tenant.keys.add(key);
    if (tenant.isPaused) return;
    if (isNewKey) this.#keys++;
    this.#length++;
    this.#tenants.add(tenant);
  }

  /** Begins the next request. The caller must charge its time to the returned key; `undefined` if no request waits. */
  beginNext(): RunningKey | undefined {
    const tenant = this.#tenants.first;
    const key = tenant?.keys.first;
    const waiting = key?.waiting.shift();
    if (tenant === undefined || key === undefined || waiting === undefined) return undefined;
    tenant.waiting--;
    this.#length--;
    this.#lengthWithPaused--;
    const isWaiting = key.waiting.length > 0;
    if (!isWaiting) this.#keys--;
    tenant.keys.begin(key, isWaiting);
    this.#tenants.begin(tenant, tenant.keys.size > 0);
    waiting.begin();
    return { tenant, key };
  }

  /** Adds the CPU time of a time slice to the totals of the key and its tenant. */
  charge({ tenant, key }: RunningKey, milliseconds: number): void {
    const cost = Math.max(minCost, milliseconds);
    tenant.keys.charge(key, cost);
    this.#tenants.charge(tenant, cost);
    if (this.#lengthWithPaused === 0) this.#period++;
  }

  /** Gives the tenant no more time slices until the returned function is called. */
  pause({ tenant }: RunningKey): () => void {
    if (tenant.isPaused) return () => {};
    tenant.isPaused = true;
    this.#length -= tenant.waiting;
    this.#keys -= tenant.keys.size;
    this.#tenants.remove(tenant);
    return () => {
      tenant.isPaused = false;
      if (tenant.waiting === 0) return;
      this.#length += tenant.waiting;
      this.#keys += tenant.keys.size;
      this.#tenants.add(tenant);
    };
  }
}

const keyOptions: LowestUsageOrderOptions<Key> = {
  create: (name, used, period) => ({ name, used, period, waiting: new LinkedQueue() }),
  firstArrivalOf: ({ waiting }) => waiting.first?.number ?? 0,
};
