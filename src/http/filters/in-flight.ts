import { internalError, StatusError, tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Exchange, Filter, InFlightSlot } from '../exchange.ts';
import { BodyBudget } from '../limits/body-budget.ts';
import { FairScheduler } from '../limits/fair-scheduler.ts';
import { FairSlots } from '../limits/fair-slots.ts';
import type { NextTimeSlice } from '../reply.ts';
import { callerOf, flowKeyOf } from '../session/caller.ts';
import { defaultBodyLimit } from '../wire/read-body.ts';

export interface InFlightOptions {
  readonly clock: Clock;
  readonly reads?: number;
  readonly writes?: number;
  /** The longest wait for a slot before 429. */
  readonly waitMilliseconds?: number;
  /** The longest body that any handler reads. */
  readonly bodyBytes?: number;
  /** Called when a request starts to execute and when its reply is ready. A waiting request is not counted. */
  onInFlightChange?(kind: RequestKind, change: 1 | -1): void;
}

export type RequestKind = 'mutating' | 'readOnly';

/** The budget for bodies that are being received, in bytes: thousands of usual ones, or forty of the longest. */
const bodyBudgetBytes = 128 * 1024 * 1024;

/** The queue length per slot: enough for a thousand clients that start at once and are served within a second. */
const queuePerSlot = 4;
/** The maximum wait for a slot. Thousands are released per second, so a longer wait is unlikely to succeed. */
const maxWaitMilliseconds = 5_000;

const readVerbs = new Set(['get', 'list', 'watch', 'head', 'options']);
const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Limits the number of executing requests, reads and writes separately, with fair shares between keys. A slot is
 * released when the reply is ready, and while the body is being received: slow senders and started watches do not count
 * (completions §10). A request with a slot may wait for the disk. For CPU time, of which there is one thread, it waits
 * for its time slice.
 */
export function inFlight(options: InFlightOptions): Filter {
  const slots = (count: number) =>
    new FairSlots({
      slots: count,
      maxWaiting: queuePerSlot * count,
      waitMilliseconds: options.waitMilliseconds ?? maxWaitMilliseconds,
      clock: options.clock,
    });
  const reads = slots(options.reads ?? 400);
  const writes = slots(options.writes ?? 200);
  const shared: SharedLimits = {
    turns: new FairScheduler({ clock: options.clock }),
    bodies: new BodyBudget(Math.max(bodyBudgetBytes, 2 * (options.bodyBytes ?? defaultBodyLimit))),
  };
  const { onInFlightChange } = options;
  return async (exchange, next) => {
    const caller = callerOf(exchange);
    const kind: RequestKind = readMethods.has(exchange.request.method) ? 'readOnly' : 'mutating';
    // The server's own requests are exempt: it must be able to catch up while clients use all slots.
    const slot = caller.system
      ? undefined
      : new Slot(isRead(exchange) ? reads : writes, flowKeyOf(caller), exchange, shared);
    let isExecuting = false;
    try {
      if (slot !== undefined) {
        exchange.nextTimeSlice = slot.nextTimeSlice;
        exchange.inFlightSlot = slot;
        await slot.take();
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

/** The resources that reads and writes share. */
interface SharedLimits {
  readonly turns: FairScheduler;
  readonly bodies: BodyBudget;
}

/** The slot of one request. */
class Slot implements InFlightSlot {
  readonly nextTimeSlice: NextTimeSlice;
  readonly #pool: FairSlots;
  readonly #key: string;
  readonly #exchange: Exchange;
  readonly #bodies: BodyBudget;
  #release: (() => void) | undefined;

  constructor(pool: FairSlots, key: string, exchange: Exchange, { turns, bodies }: SharedLimits) {
    this.nextTimeSlice = () => turns.waitForTimeSlice(key);
    this.#pool = pool;
    this.#key = key;
    this.#exchange = exchange;
    this.#bodies = bodies;
  }

  /** Resolves with a slot and a time slice. The caller then checks whether the request has ended. Throws 429. */
  take(): Promise<void> {
    const free = this.#pool.tryAcquire(this.#key);
    if (free === undefined) return this.#waitAndTake();
    this.#release = free;
    return this.nextTimeSlice();
  }

  async #waitAndTake(): Promise<void> {
    const release = await this.#pool.acquire(this.#key, this.#exchange.signal);
    if (release === undefined) throw this.#endError();
    this.#release = release;
    await this.nextTimeSlice();
  }

  /** Throws if the client has disconnected or the caller's access has ended. */
  throwIfEnded(): void {
    if (this.#exchange.end.hasEnded) throw this.#endError();
  }

  /**
   * A caller whose access ended while it waited gets that error rather than 429. A client that disconnected was not
   * refused, and the audit log must not record a refusal.
   */
  #endError(): Error {
    const { hasEnded, reason } = this.#exchange.end;
    if (!hasEnded) return tooManyInFlight();
    return reason instanceof StatusError ? reason : internalError('the request was canceled');
  }

  release(): void {
    this.#release?.();
  }

  receive<T>(read: (report: (bytes: number) => void) => Promise<T>): Promise<T> {
    return this.releaseWhile(this.#bodies.receive(this.#key, read));
  }

  /** A value that is available before the next tick does not release the slot, and causes no second wait for one. */
  async releaseWhile<T>(waiting: Promise<T>): Promise<T> {
    let isReleased = false;
    const releasing = setImmediate(() => {
      isReleased = true;
      this.#release?.();
    });
    try {
      const value = await waiting;
      if (isReleased) {
        await this.take();
        this.throwIfEnded();
      }
      return value;
    } finally {
      clearImmediate(releasing);
    }
  }
}

function tooManyInFlight(): Error {
  return tooManyRequests('Too many requests, please try again later.', 1);
}

function isRead({ info }: Exchange): boolean {
  return readVerbs.has(info.verb);
}
