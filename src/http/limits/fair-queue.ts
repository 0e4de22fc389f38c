import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import { type Competitor, LowestUsageOrder } from './lowest-usage-order.ts';

/** A competitor for CPU time: a tenant, a part of a tenant, or a caller. */
interface Share extends Competitor {
  /** Absent for a tenant. */
  readonly parent: Share | undefined;
  /** The smaller shares into which this share is divided. Absent for a caller. */
  parts: LowestUsageOrder<Share> | undefined;
  readonly requests: LinkedQueue<Waiting>;
  /**
   * The number of waiting requests in all parts of this share. `callers` is the number of callers with such requests.
   */
  waiting: number;
  callers: number;
  /** True while the tenant gets no time slices. */
  isPaused: boolean;
}

interface Waiting {
  /** The position in the order of arrival, counted across all callers. */
  readonly number: number;
  begin(): void;
}

/** The caller that has a time slice. */
export type RunningShare = Share;

/** The names of a caller, from the tenant to the caller itself. */
export interface ShareNames {
  readonly tenant: string;
  /** The part of the tenant that the request is for, such as one of its virtual clusters. */
  readonly part: string;
  readonly key: string;
}

export interface FairQueueOptions {
  /** The maximum debt of a tenant (`LowestUsageOrderOptions`). Optional. */
  readonly maxDebt?: number;
}

/** The minimum CPU time in milliseconds that is counted for a time slice, because scheduling also takes time. */
const minCost = 0.05;

/**
 * Requests that wait for a time slice. The next time slice goes to the tenant that has used the least CPU time, within
 * the tenant to the part that has used the least, and within the part to the caller that has used the least.
 */
export class FairQueue {
  readonly #tenants: LowestUsageOrder<Share>;
  /**
   * The number of waiting requests, without the requests of paused tenants. `#lengthWithPaused` includes those
   * requests.
   */
  #length = 0;
  #lengthWithPaused = 0;
  #keys = 0;
  /**
   * The number of the current busy period. A busy period ends when no request waits. Used CPU times are compared only
   * within one busy period.
   */
  #period = 0;
  #sequence = 0;

  constructor({ maxDebt }: FairQueueOptions = {}) {
    this.#tenants = sharesOf(undefined, 2, maxDebt);
  }

  /* The numbers do not include paused tenants. */

  /** The number of waiting requests. */
  get length(): number {
    return this.#length;
  }

  /** The number of waiting callers. */
  get keys(): number {
    return this.#keys;
  }

  /** The number of waiting tenants. */
  get tenants(): number {
    return this.#tenants.size;
  }

  push(names: ShareNames, begin: () => void): void {
    const tenant = this.#tenants.find(names.tenant, this.#period);
    const part = tenant.parts?.find(names.part, this.#period);
    const caller = part?.parts?.find(names.key, this.#period);
    if (part === undefined || caller === undefined) return;
    const isNewCaller = caller.waiting === 0;
    caller.requests.push({ number: this.#sequence++, begin });
    for (let share: Share | undefined = caller; share !== undefined; share = share.parent) {
      share.waiting++;
      if (isNewCaller) share.callers++;
    }
    this.#lengthWithPaused++;
    part.parts?.add(caller);
    tenant.parts?.add(part);
    if (tenant.isPaused) return;
    if (isNewCaller) this.#keys++;
    this.#length++;
    this.#tenants.add(tenant);
  }

  /**
   * Begins the next request and returns its share; `undefined` if no request waits. The caller of this function must
   * pass the share to `charge` with the CPU time of the request.
   */
  beginNext(): RunningShare | undefined {
    const caller = this.#tenants.first?.parts?.first?.parts?.first;
    const waiting = caller?.requests.shift();
    if (caller === undefined || waiting === undefined) return undefined;
    this.#length--;
    this.#lengthWithPaused--;
    const isLast = caller.waiting === 1;
    if (isLast) this.#keys--;
    for (let share: Share | undefined = caller; share !== undefined; share = share.parent) {
      share.waiting--;
      if (isLast) share.callers--;
      this.#orderOf(share).begin(share, share.waiting > 0);
    }
    waiting.begin();
    return caller;
  }

  /** Adds the CPU time of a time slice to the totals of the caller, its part and its tenant. */
  charge(caller: RunningShare, milliseconds: number): void {
    const cost = Math.max(minCost, milliseconds);
    for (let share: Share | undefined = caller; share !== undefined; share = share.parent)
      this.#orderOf(share).charge(share, cost);
    if (this.#lengthWithPaused === 0) this.#period++;
  }

  /** Gives the tenant of the caller no further time slices until the returned function is called. */
  pause(caller: RunningShare): () => void {
    let tenant = caller;
    while (tenant.parent !== undefined) tenant = tenant.parent;
    if (tenant.isPaused) return () => {};
    tenant.isPaused = true;
    this.#length -= tenant.waiting;
    this.#keys -= tenant.callers;
    this.#tenants.remove(tenant);
    return () => {
      tenant.isPaused = false;
      if (tenant.waiting === 0) return;
      this.#length += tenant.waiting;
      this.#keys += tenant.callers;
      this.#tenants.add(tenant);
    };
  }

  #orderOf({ parent }: Share): LowestUsageOrder<Share> {
    return parent?.parts ?? this.#tenants;
  }
}

/**
 * Returns an empty set of the shares into which `parent` is divided. `levelsBelow` is the number of further levels
 * below these shares.
 */
function sharesOf(parent: Share | undefined, levelsBelow: number, maxDebt?: number): LowestUsageOrder<Share> {
  return new LowestUsageOrder<Share>({
    create(name, used, period) {
      const share: Share = {
        name,
        used,
        period,
        parent,
        parts: undefined,
        requests: new LinkedQueue(),
        waiting: 0,
        callers: 0,
        isPaused: false,
      };
      if (levelsBelow > 0) share.parts = sharesOf(share, levelsBelow - 1);
      return share;
    },
    firstArrivalOf,
    maxDebt,
  });
}

function firstArrivalOf({ parts, requests }: Share): number {
  if (parts === undefined) return requests.first?.number ?? 0;
  return parts.first === undefined ? 0 : firstArrivalOf(parts.first);
}
