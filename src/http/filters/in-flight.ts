import { internalError, StatusError, tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { BodyRoom } from '../body-room.ts';
import { callerOf, shareOf } from '../caller.ts';
import type { Exchange, Filter, Place, Turn } from '../exchange.ts';
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
  /** Told when a request begins to be worked on, and when its answer stands: what waits for its turn is not at work yet. */
  onWork?(kind: WorkKind, change: 1 | -1): void;
}

export type WorkKind = 'mutating' | 'readOnly';

/** For bodies that are on their way, in bytes: thousands of usual ones, or forty of the longest. */
const roomForBodies = 128 * 1024 * 1024;

/** Enough for a thousand clients that all begin at once; they are through within a second. */
const queuePerSlot = 4;
/** Slots come free by the thousand in a second: one that did not get any for so long is not going to get one soon. */
const longestWait = 5_000;

const reading = new Set(['get', 'list', 'watch', 'head', 'options']);
const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

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
  const room: Room = {
    turns: new FairTurns({ clock: options.clock }),
    bodies: new BodyRoom(Math.max(roomForBodies, 2 * (options.bodyBytes ?? defaultBodyLimit))),
  };
  const { onWork } = options;
  return async (exchange, next) => {
    const caller = callerOf(exchange);
    const kind: WorkKind = readMethods.has(exchange.request.method) ? 'readOnly' : 'mutating';
    // The server's own work must go on when clients have filled it up, or it could never catch up.
    const slot = caller.system
      ? undefined
      : new Slot(isRead(exchange) ? reads : writes, shareOf(caller), exchange, room);
    let isAtWork = false;
    try {
      if (slot !== undefined) {
        exchange.turn = slot.turn;
        exchange.place = slot;
        await slot.take();
        slot.throwIfOver();
      }
      onWork?.(kind, 1);
      isAtWork = true;
      const reply = await next(exchange);
      if (slot !== undefined) reply.turn = slot.turn;
      return reply;
    } finally {
      if (isAtWork) onWork?.(kind, -1);
      slot?.handOver();
    }
  };
}

/** What reads and writes have in common. */
interface Room {
  readonly turns: FairTurns;
  readonly bodies: BodyRoom;
}

/** The slot of one request. */
class Slot implements Place {
  readonly turn: Turn;
  readonly #pool: FairSlots;
  readonly #key: string;
  readonly #exchange: Exchange;
  readonly #bodies: BodyRoom;
  #release: (() => void) | undefined;

  constructor(pool: FairSlots, key: string, exchange: Exchange, { turns, bodies }: Room) {
    this.turn = () => turns.take(key);
    this.#pool = pool;
    this.#key = key;
    this.#exchange = exchange;
    this.#bodies = bodies;
  }

  /** Resolves with a slot when it is this one's turn to work; then ask whether it still is worth it. Throws 429. */
  take(): Promise<void> {
    const free = this.#pool.acquireFree(this.#key);
    if (free === undefined) return this.#takeLater();
    this.#release = free;
    return this.turn();
  }

  async #takeLater(): Promise<void> {
    const release = await this.#pool.acquire(this.#key, this.#exchange.signal);
    if (release === undefined) throw this.#whyOver();
    this.#release = release;
    await this.turn();
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

  handOver(): void {
    this.#release?.();
  }

  receive<T>(read: (tell: (bytes: number) => void) => Promise<T>): Promise<T> {
    return this.lend(this.#bodies.receive(this.#key, read));
  }

  /** What is there already is had before the next turn of the event loop, and costs nobody a second wait for a slot. */
  async lend<T>(waiting: Promise<T>): Promise<T> {
    let lent = false;
    const lending = setImmediate(() => {
      lent = true;
      this.#release?.();
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
