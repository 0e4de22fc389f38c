import { tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { callerOf, flowKeyOf } from '../session/caller.ts';

export interface KeyRateOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The sustained requests per second of one key; 0 means unlimited (completions §10). */
  readonly perSecond: number;
  /** The number of tracked keys. Beyond it, the least recently used one is dropped and starts with a full bucket. */
  readonly maxKeys?: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** The burst size in seconds of the rate: clients list a dozen kinds when they start and are idle afterwards. */
const burstSeconds = 2;

/** Limits the request rate of each key. A request beyond the limit gets 429 with Retry-After. */
export function keyRate(options: KeyRateOptions): Filter {
  const { clock, perSecond } = options;
  if (perSecond === 0) return (exchange, next) => next(exchange);
  const most = Math.max(1, perSecond * burstSeconds);
  const limit = options.maxKeys ?? 100_000;
  const buckets = new Map<string, Bucket>();

  /** Returns the seconds until the next request is allowed; 0 if this one is. */
  const take = (key: string): number => {
    const now = clock.elapsed();
    const bucket = buckets.get(key) ?? { tokens: most, filledAt: now };
    const passed = now - bucket.filledAt;
    bucket.tokens = Math.min(most, bucket.tokens + (passed / 1000) * perSecond);
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
    const wait = take(flowKeyOf(caller));
    if (wait === 0) return next(exchange);
    throw tooManyRequests(
      'This access key has made too many requests, please try again later.',
      Math.max(1, Math.ceil(wait)),
    );
  };
}
