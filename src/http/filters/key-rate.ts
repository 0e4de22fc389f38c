import { tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { callerOf, flowKeyOf } from '../session/caller.ts';

export interface KeyRateOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The average number of requests per second that one access key may send; 0 means unlimited (completions §10). */
  readonly perSecond: number;
  /** The number of keys to track. Above it, the least recently used key is forgotten, and its limit starts anew. */
  readonly maxKeys?: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * The size of a burst: as many requests as the average rate allows in this many seconds. Clients need a burst to list a
 * dozen kinds when they start.
 */
const burstSeconds = 2;

/** Limits the request rate of each access key. A request above the limit gets 429 with Retry-After. */
export function keyRateFilter(options: KeyRateOptions): Filter {
  const { clock, perSecond } = options;
  if (perSecond === 0) return (exchange, next) => next(exchange);
  const burst = Math.max(1, perSecond * burstSeconds);
  const limit = options.maxKeys ?? 100_000;
  const buckets = new Map<string, Bucket>();

  /**
   * Counts a request. Returns 0 if it is allowed, otherwise the number of seconds until the next request is allowed.
   */
  const secondsUntilAllowed = (key: string): number => {
    const now = clock.elapsed();
    const bucket = buckets.get(key) ?? { tokens: burst, filledAt: now };
    const passed = now - bucket.filledAt;
    bucket.tokens = Math.min(burst, bucket.tokens + (passed / 1000) * perSecond);
    bucket.filledAt = now;
    buckets.delete(key);
    buckets.set(key, bucket);
    const [oldest] = buckets.size > limit ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perSecond;
    bucket.tokens -= 1;
    return 0;
  };

  return (exchange, next) => {
    const caller = callerOf(exchange);
    if (caller.system) return next(exchange);
    const wait = secondsUntilAllowed(flowKeyOf(caller));
    if (wait === 0) return next(exchange);
    throw tooManyRequests(
      'This access key has made too many requests, please try again later.',
      Math.max(1, Math.ceil(wait)),
    );
  };
}
