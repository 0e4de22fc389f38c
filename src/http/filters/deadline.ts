import { badRequest, timedOut } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { FixedDelayQueue } from '../../lib/queue/fixed-delay-queue.ts';
import type { Filter } from '../exchange.ts';
import { parseGoDuration } from '../request/go-duration.ts';
import { isLongRunning } from '../request/long-running.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  /**
   * The default timeout of a request and the longest timeout that a client can request (rule REQ-16). Default: 60 s.
   */
  readonly maximumMilliseconds?: number;
  /**
   * The longest timeout of a write (rule REQ-17). It is shorter than the timeout of reads, so that clients do not give
   * up before they get the response. Optional; defaults to 34 seconds.
   */
  readonly writeMilliseconds?: number;
}

const writes = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Sets a deadline for each request that is not long-running. When the deadline passes, the client gets an error
 * response immediately, and the request's signal aborts the remaining work.
 */
export function deadlineFilter(options: DeadlineOptions): Filter {
  const maximum = options.maximumMilliseconds ?? 60_000;
  const writeMaximum = options.writeMilliseconds ?? 34_000;
  // Nearly all requests have one of these two timeouts and share a timer queue. A request with another timeout uses its
  // own timer.
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
      // The error is created when the deadline passes and not in advance, because creating a stack trace is expensive
      // and timeouts are rare.
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

/**
 * Returns the timeout that the client requested, in milliseconds; 0 if it requested none. Throws 400 if the timeout is
 * invalid (rule REQ-15).
 */
function requestedTimeout(query: URLSearchParams): number {
  const text = query.get('timeout') ?? '';
  if (text === '') return 0;
  try {
    return parseGoDuration(text);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${error instanceof Error ? error.message : ''}`);
  }
}
