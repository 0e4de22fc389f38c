import { badRequest, timedOut } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { SameDelay } from '../../lib/same-delay.ts';
import type { Filter } from '../exchange.ts';
import { parseGoDuration } from '../go-duration.ts';
import { isLongRunning } from '../long-running.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  /** What a request gets that asks for nothing, and the most that one can ask for (rule REQ-16). */
  readonly maximumMilliseconds?: number;
  /** Writes get less, so that their answer still comes before everybody else gives up (rule REQ-17). */
  readonly writeMilliseconds?: number;
}

const writes = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Bounds every request that is not meant to last. When time is up the client is answered at once; the signal tells
 * those who still work on it.
 */
export function deadline(options: DeadlineOptions): Filter {
  const maximum = options.maximumMilliseconds ?? 60_000;
  const forWrites = options.writeMilliseconds ?? 34_000;
  // What nearly all requests get: those that ask for a time of their own have a timer of their own.
  const usual = new Map(
    [maximum, Math.min(maximum, forWrites)].map((each) => [each, new SameDelay(options.clock, each)]),
  );
  const after = (milliseconds: number, callback: () => void): (() => void) =>
    usual.get(milliseconds)?.after(callback) ?? options.clock.after(milliseconds, callback);
  return (exchange, next) => {
    if (isLongRunning(exchange)) return next(exchange);
    const asked = requestedTimeout(exchange.query);
    const allowed = asked > 0 && asked <= maximum ? asked : maximum;
    const isWrite = exchange.info.isResource && writes.has(exchange.info.verb);
    const milliseconds = isWrite ? Math.min(allowed, forWrites) : allowed;
    const stop = after(milliseconds, () => {
      // Made only when it is needed: an error with its stack is dear for something that hardly ever happens.
      const error = timedOut(
        isWrite
          ? 'request did not complete within requested timeout - context deadline exceeded'
          : 'request did not complete within the allotted timeout',
      );
      exchange.end.end(error);
      exchange.settlement.giveUp(error);
    });
    exchange.settlement.follow(stop);
    return next(exchange);
  };
}

/** 0: not sent. Throws for what is no duration (rule REQ-15). */
function requestedTimeout(query: URLSearchParams): number {
  const text = query.get('timeout') ?? '';
  if (text === '') return 0;
  try {
    return parseGoDuration(text);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${error instanceof Error ? error.message : ''}`);
  }
}
