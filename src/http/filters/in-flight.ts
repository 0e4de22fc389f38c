import { internalError, StatusError, tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { BodyRoom } from '../body-room.ts';
import { callerOf, shareOf } from '../caller.ts';
import type { Exchange, Filter, Place } from '../exchange.ts';
import { FairSlots } from '../fair-slots.ts';
import { FairTurns } from '../fair-turns.ts';
import { defaultBodyLimit } from '../read-body.ts';
import type { Turn } from '../reply.ts';

export interface InFlightOptions {
  readonly clock: Clock;
  readonly reads?: number;
  readonly writes?: number;
  /** The longest wait for a slot before 429. */
  readonly waitMilliseconds?: number;
  /** The longest body that any handler reads. */
  readonly bodyBytes?: number;
  /** Called when a request starts to execute and when its reply is ready. A waiting request is not counted. */
  onWork?(kind: WorkKind, change: 1 | -1): void;
}

export type WorkKind = 'mutating' | 'readOnly';

/** The budget for bodies that are being received, in bytes: thousands of usual ones, or forty of the longest. */
const bodyBudgetBytes = 128 * 1024 * 1024;

/** Enough for a thousand clients that all start at once; they are served within a second. */
const queuePerSlot = 4;
/** Thousands of slots are released per second: a request that got none for this long will not get one soon. */
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
      queue: queuePerSlot * count,
      waitMilliseconds: options.waitMilliseconds ?? maxWaitMilliseconds,
      clock: options.clock,
    });
  const reads = slots(options.reads ?? 400);
  const writes = slots(options.writes ?? 200);
  const shared: SharedLimits = {
    turns: new FairTurns({ clock: options.clock }),
    bodies: new BodyRoom(Math.max(bodyBudgetBytes, 2 * (options.bodyBytes ?? defaultBodyLimit))),
  };
  const { onWork } = options;
  return async (exchange, next) => {
    const caller = callerOf(exchange);
    const kind: WorkKind = readMethods.has(exchange.request.method) ? 'readOnly' : 'mutating';
    // The server's own requests are exempt: it must be able to catch up while clients use all slots.
    const slot = caller.system
      ? undefined
      : new Slot(isRead(exchange) ? reads : writes, shareOf(caller), exchange, shared);
    let isExecuting = false;
    try {
      if (slot !== undefined) {
        exchange.turn = slot.nextTimeSlice;
        exchange.place = slot;
        await slot.take();
        slot.throwIfEnded();
      }
      onWork?.(kind, 1);
      isExecuting = true;
      const reply = await next(exchange);
      if (slot !== undefined) reply.turn = slot.nextTimeSlice;
      return reply;
    } finally {
      if (isExecuting) onWork?.(kind, -1);
      slot?.handOver();
    }
  };
}

/** The resources that reads and writes share. */
interface SharedLimits {
  readonly turns: FairTurns;
  readonly bodies: BodyRoom;
}

/** The slot of one request. */
class Slot implements Place {
  readonly nextTimeSlice: Turn;
  readonly #pool: FairSlots;
  readonly #key: string;
  readonly #exchange: Exchange;
  readonly #bodies: BodyRoom;
  #release: (() => void) | undefined;

  constructor(pool: FairSlots, key: string, exchange: Exchange, { turns, bodies }: SharedLimits) {
    this.nextTimeSlice = () => turns.take(key);
    this.#pool = pool;
    this.#key = key;
    this.#exchange = exchange;
    this.#bodies = bodies;
  }

  /** Resolves with a slot and a time slice. The caller then checks whether the request has ended. Throws 429. */
  take(): Promise<void> {
    const free = this.#pool.acquireFree(this.#key);
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
    if (this.#exchange.end.isOver) throw this.#endError();
  }

  /**
   * A caller whose access ended while it waited gets that error rather than 429. A client that disconnected was not
   * refused, and the audit log must not record a refusal.
   */
  #endError(): Error {
    const { isOver, reason } = this.#exchange.end;
    if (!isOver) return tooManyInFlight();
    return reason instanceof StatusError ? reason : internalError('the request was canceled');
  }

  handOver(): void {
    this.#release?.();
  }

  receive<T>(read: (report: (bytes: number) => void) => Promise<T>): Promise<T> {
    return this.lend(this.#bodies.receive(this.#key, read));
  }

  /** A value that is available before the next tick does not release the slot, and causes no second wait for one. */
  async lend<T>(waiting: Promise<T>): Promise<T> {
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
