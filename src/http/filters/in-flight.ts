import { internalError, StatusError, tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { BodyRoom } from '../body-room.ts';
import { callerOf, shareOf } from '../caller.ts';
import type { Exchange, Filter, Turn } from '../exchange.ts';
import { FairSlots } from '../fair-slots.ts';
import { FairTurns } from '../fair-turns.ts';
import { defaultBodyLimit } from '../read-body.ts';

export interface InFlightOptions {
  readonly clock: Clock;
  readonly reads?: number;
  readonly writes?: number;
  /** How long one waits for a slot before it is told to come again. */
  readonly waitMilliseconds?: number;
  /** The longest body that any handler reads. */
  readonly bodyBytes?: number;
}

/** For bodies that are on their way, in bytes: thousands of usual ones, or forty of the longest. */
const roomForBodies = 128 * 1024 * 1024;

/** Enough for a thousand clients that all begin at once; they are through within a second. */
const queuePerSlot = 4;
/** Slots come free by the thousand in a second: one that did not get any for so long is not going to get one soon. */
const longestWait = 5_000;

const reading = new Set(['get', 'list', 'watch', 'head', 'options']);

/**
 * Bounds how much is at work at a time, reads and writes apart, in fair shares between keys. A slot is given back when
 * the answer stands, and lent to others while the body is still on its way: neither a client that sends slowly nor a
 * watch that has started is counted (completions §10). Who has a slot may wait for the disk; for the processor, of which
 * there is one, it waits for its turn.
 */
export function inFlight(options: InFlightOptions): Filter {
  const slots = (count: number) =>
    new FairSlots({
      slots: count,
      queue: queuePerSlot * count,
      waitMilliseconds: options.waitMilliseconds ?? longestWait,
      clock: options.clock,
    });
  const reads = slots(options.reads ?? 400);
  const writes = slots(options.writes ?? 200);
  const turns = new FairTurns({ clock: options.clock });
  const bodies = new BodyRoom(Math.max(roomForBodies, 2 * (options.bodyBytes ?? defaultBodyLimit)));
  return async (exchange, next) => {
    const caller = callerOf(exchange);
    // The server's own work must go on when clients have filled it up, or it could never catch up.
    if (caller.system) return await next();
    const key = shareOf(caller);
    const turn = () => turns.take(key);
    const slot = new Slot(isRead(exchange) ? reads : writes, key, turn, exchange);
    exchange.turn = turn;
    exchange.arrival = (read) => slot.lendDuring(bodies.receive(key, read));
    exchange.handOver = () => slot.giveBack();
    exchange.lend = (waiting) => slot.lendDuring(waiting);
    try {
      await slot.take();
      slot.throwIfOver();
      const reply = await next();
      reply.turn = turn;
      return reply;
    } finally {
      slot.giveBack();
    }
  };
}

/** The slot of one request. */
class Slot {
  readonly #pool: FairSlots;
  readonly #key: string;
  readonly #turn: Turn;
  readonly #exchange: Exchange;
  #release: () => void = () => {};

  constructor(pool: FairSlots, key: string, turn: Turn, exchange: Exchange) {
    this.#pool = pool;
    this.#key = key;
    this.#turn = turn;
    this.#exchange = exchange;
  }

  /** Resolves with a slot when it is this one's turn to work; then ask whether it still is worth it. Throws 429. */
  take(): Promise<void> {
    const free = this.#pool.acquireFree(this.#key);
    if (free === undefined) return this.#takeLater();
    this.#release = free;
    return this.#turn();
  }

  async #takeLater(): Promise<void> {
    const release = await this.#pool.acquire(this.#key, this.#exchange.signal);
    if (release === undefined) throw this.#whyOver();
    this.#release = release;
    await this.#turn();
  }

  /** Nobody waits for the answer any more, or its caller is no longer to have one. */
  throwIfOver(): void {
    if (this.#exchange.end.isOver) throw this.#whyOver();
  }

  /**
   * Who lost the right to be here while it waited is told that, and not to come again. Who went away by itself was not
   * refused: the audit log must not say so.
   */
  #whyOver(): Error {
    const { isOver, reason } = this.#exchange.end;
    if (!isOver) return comeAgain();
    return reason instanceof StatusError ? reason : internalError('the request was given up');
  }

  giveBack(): void {
    this.#release();
  }

  /** What is there already is had before the next turn of the event loop, and costs nobody a second wait for a slot. */
  async lendDuring<T>(waiting: Promise<T>): Promise<T> {
    let lent = false;
    const lending = setImmediate(() => {
      lent = true;
      this.#release();
    });
    try {
      const value = await waiting;
      if (lent) {
        await this.take();
        this.throwIfOver();
      }
      return value;
    } finally {
      clearImmediate(lending);
    }
  }
}

function comeAgain(): Error {
  return tooManyRequests('Too many requests, please try again later.', 1);
}

function isRead({ info }: Exchange): boolean {
  return reading.has(info.verb);
}
