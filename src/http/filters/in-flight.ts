import { internalError, StatusError, tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Exchange, Filter, InFlightSlot } from '../exchange.ts';
import { BodyBudget } from '../limits/body-budget.ts';
import { FairScheduler } from '../limits/fair-scheduler.ts';
import { FairSlots } from '../limits/fair-slots.ts';
import { workPriorityOf } from '../limits/work-priority.ts';
import type { NextTimeSlice } from '../reply.ts';
import { callerOf, flowKeyOf, tenantKeyOf } from '../session/caller.ts';
import { defaultBodyLimit } from '../wire/read-body.ts';

export interface InFlightOptions {
  readonly clock: Clock;
  readonly reads?: number;
  readonly writes?: number;
  /**
   * The longest time that a request waits for a slot. After this time, the request gets 429. Optional; defaults to 5
   * seconds.
   */
  readonly waitMilliseconds?: number;
  /** Size limit of a request body in bytes. Optional. */
  readonly bodyBytes?: number;
  /**
   * Called with 1 when a request starts to execute and with -1 when its reply is ready. Waiting requests do not count.
   */
  onInFlightChange?(kind: RequestKind, change: 1 | -1): void;
}

export type RequestKind = 'mutating' | 'readOnly';

/**
 * Budget in bytes for all request bodies that are being received: thousands of average bodies, or about forty of the
 * maximum size.
 */
const bodyBudgetBytes = 128 * 1024 * 1024;

/**
 * Number of waiting requests per slot: enough for a thousand clients that start together and are served in a second.
 */
const queuePerSlot = 4;
/** The longest wait for a slot. Thousands of slots become free per second, so a longer wait would hardly help. */
const maxWaitMilliseconds = 5_000;

/**
 * Watches that are being opened have separate slots and a separate queue. After a restart, all clients open their
 * watches again at the same time, and refusing a watch several times takes longer than opening it. With the default of
 * 400 slots, 10,000 watches can wait. A watch has no deadline, so it can wait longer than other requests.
 */
const watchQueuePerSlot = 25;
const maxWatchWaitMilliseconds = 30_000;

const readVerbs = new Set(['get', 'list', 'head', 'options']);
const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Limits how many requests are executed at the same time, separately for reads, writes and watches that are being
 * opened. Callers get fair shares of the slots. A request holds no slot while its body is being received, nor after its
 * reply is ready, so slow clients and established watches use no slots (completions §10). A request keeps its slot while
 * it waits for the disk. Because there is only one thread, a request also waits for a time slice before it uses the CPU.
 */
export function inFlightFilter(options: InFlightOptions): Filter {
  const { clock, reads = 400, writes = 200, waitMilliseconds = maxWaitMilliseconds } = options;
  const slots = (count: number) =>
    new FairSlots({ slots: count, maxWaiting: queuePerSlot * count, waitMilliseconds, clock });
  const pools: SlotPools = {
    reads: slots(reads),
    writes: slots(writes),
    watches: new FairSlots({
      slots: reads,
      maxWaiting: watchQueuePerSlot * reads,
      waitMilliseconds: maxWatchWaitMilliseconds,
      clock,
    }),
  };
  const shared: SharedLimits = {
    scheduler: new FairScheduler({ clock }),
    bodies: new BodyBudget(Math.max(bodyBudgetBytes, 2 * (options.bodyBytes ?? defaultBodyLimit))),
  };
  const { onInFlightChange } = options;
  return async (exchange, next) => {
    const caller = callerOf(exchange);
    const kind: RequestKind = readMethods.has(exchange.request.method) ? 'readOnly' : 'mutating';
    // Requests of the server itself need no slot: the server must be able to work even if clients use all slots.
    const slot = caller.system
      ? undefined
      : new Slot(poolFor(pools, exchange.info.verb), flowKeyOf(caller), exchange, shared);
    let isExecuting = false;
    try {
      if (slot !== undefined) {
        exchange.nextTimeSlice = slot.nextTimeSlice;
        exchange.inFlightSlot = slot;
        await slot.acquire();
        slot.throwIfEnded();
      }
      onInFlightChange?.(kind, 1);
      isExecuting = true;
      const reply = await next(exchange);
      if (slot !== undefined) reply.nextTimeSlice = slot.nextTimeSlice;
      return reply;
    } finally {
      if (isExecuting) onInFlightChange?.(kind, -1);
      slot?.release();
    }
  };
}

interface SlotPools {
  readonly reads: FairSlots;
  readonly writes: FairSlots;
  readonly watches: FairSlots;
}

function poolFor(pools: SlotPools, verb: string): FairSlots {
  if (verb === 'watch') return pools.watches;
  return readVerbs.has(verb) ? pools.reads : pools.writes;
}

/** The limits that apply to reads and writes together. */
interface SharedLimits {
  readonly scheduler: FairScheduler;
  readonly bodies: BodyBudget;
}

/** The in-flight slot of one request. */
class Slot implements InFlightSlot {
  readonly nextTimeSlice: NextTimeSlice;
  readonly #pool: FairSlots;
  readonly #key: string;
  readonly #exchange: Exchange;
  readonly #bodies: BodyBudget;
  #release: (() => void) | undefined;
  #stopFollowing: (() => void) | undefined;

  constructor(pool: FairSlots, key: string, exchange: Exchange, { scheduler, bodies }: SharedLimits) {
    const tenant = tenantKeyOf(callerOf(exchange));
    const priority = workPriorityOf(exchange.info);
    this.nextTimeSlice = () => scheduler.waitForTimeSlice(key, tenant, priority);
    this.#pool = pool;
    this.#key = key;
    this.#exchange = exchange;
    this.#bodies = bodies;
  }

  /** Resolves after the request has a slot and a time slice. Throws 429. The request may have ended in the meantime. */
  acquire(): Promise<void> {
    const free = this.#pool.tryAcquire(this.#key);
    if (free === undefined) return this.#waitAndAcquire();
    return this.#waitForTimeSlice(free);
  }

  async #waitAndAcquire(): Promise<void> {
    const release = await this.#pool.acquire(this.#key, this.#exchange.end);
    if (release === undefined) throw this.#endError();
    await this.#waitForTimeSlice(release);
  }

  /**
   * Waits for a time slice while the request holds a slot. If the request ends during the wait, its slot is released
   * immediately. Otherwise, a client that cancels thousands of requests at once would block other requests until each
   * canceled request got its time slice.
   */
  #waitForTimeSlice(release: () => void): Promise<void> {
    this.#release = release;
    this.#stopFollowing = this.#exchange.end.onEnd(release);
    return this.nextTimeSlice();
  }

  /**
   * Must be called after `acquire`. Throws if the client has disconnected or the caller's credential has become
   * invalid. Otherwise the request keeps its slot until its work is done, even if the client disconnects earlier.
   */
  throwIfEnded(): void {
    this.#stopFollowing?.();
    if (this.#exchange.end.hasEnded) throw this.#endError();
  }

  /**
   * Returns the error for a request that did not get a slot. If the caller's credential became invalid during the wait,
   * that error takes precedence over 429. If the client disconnected, the error must not be 429 either, because the
   * audit log would record a refusal.
   */
  #endError(): Error {
    const { hasEnded, reason } = this.#exchange.end;
    if (!hasEnded) {
      return tooManyRequests('Too many requests, please try again later.', this.#pool.retryAfterSeconds());
    }
    return reason instanceof StatusError ? reason : internalError('the request was canceled');
  }

  release(): void {
    this.#release?.();
  }

  receive<T>(read: (report: (bytes: number) => void) => Promise<T>): Promise<T> {
    return this.releaseWhile(this.#bodies.receive(this.#key, read));
  }

  /**
   * Waits one tick before releasing the slot, and keeps it if `waiting` settles within this tick, because acquiring
   * another slot could mean a wait.
   */
  async releaseWhile<T>(waiting: Promise<T>): Promise<T> {
    let isReleased = false;
    const releasing = setImmediate(() => {
      isReleased = true;
      this.#release?.();
    });
    try {
      const value = await waiting;
      if (isReleased) {
        await this.acquire();
        this.throwIfEnded();
      }
      return value;
    } finally {
      clearImmediate(releasing);
    }
  }
}
