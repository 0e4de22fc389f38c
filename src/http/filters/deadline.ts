import { badRequest, timedOut } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { FixedDelayQueue } from '../../lib/queue/fixed-delay-queue.ts';
import type { Filter } from '../exchange.ts';
import { parseGoDuration } from '../request/go-duration.ts';
import { isLongRunning } from '../request/long-running.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  /** The default timeout and the maximum that a request can ask for (rule REQ-16). */
  readonly maximumMilliseconds?: number;
  /**
   * The maximum for writes, which is lower so that the response still reaches clients before they give up (rule
   * REQ-17).
   */
  readonly writeMilliseconds?: number;
}

const writes = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Sets a deadline for every request that is not long-running. When it passes, the client gets its response immediately,
 * and the signal stops the work on the request.
 */
export function deadline(options: DeadlineOptions): Filter {
  const maximum = options.maximumMilliseconds ?? 60_000;
  const writeMaximum = options.writeMilliseconds ?? 34_000;
  // Nearly all requests use one of these delays and share their timers. A request with its own timeout has its own
  // timer.
  const sharedTimers = new Map(
    [maximum, Math.min(maximum, writeMaximum)].map((each) => [each, new FixedDelayQueue(options.clock, each)]),
  );
  const after = (milliseconds: number, callback: () => void): (() => void) =>
    sharedTimers.get(milliseconds)?.after(callback) ?? options.clock.after(milliseconds, callback);
  return (exchange, next) => {
    if (isLongRunning(exchange)) return next(exchange);
    const requested = requestedTimeout(exchange.query);
    const allowed = requested > 0 && requested <= maximum ? requested : maximum;
    const isWrite = exchange.info.isResource && writes.has(exchange.info.verb);
    const milliseconds = isWrite ? Math.min(allowed, writeMaximum) : allowed;
    const stop = after(milliseconds, () => {
      // Created only when needed: an error with a stack trace is expensive for something that hardly ever happens.
      const error = timedOut(
        isWrite
          ? 'request did not complete within requested timeout - context deadline exceeded'
          : 'request did not complete within the allotted timeout',
      );
      exchange.end.end(error);
      exchange.completion.failEarly(error);
    });
    exchange.completion.onComplete(stop);
    return next(exchange);
  };
}

/** Returns 0 if there is none. Throws 400 for an invalid duration (rule REQ-15). */
function requestedTimeout(query: URLSearchParams): number {
  const text = query.get('timeout') ?? '';
  if (text === '') return 0;
  try {
    return parseGoDuration(text);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${error instanceof Error ? error.message : ''}`);
  }
}
