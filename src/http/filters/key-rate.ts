import { tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { callerOf, shareOf } from '../caller.ts';
import type { Filter } from '../exchange.ts';

export interface KeyRateOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Requests a second that one key may make in the long run; 0: as many as it likes (completions §10). */
  readonly perSecond: number;
  /** Keys remembered at a time; beyond it the one that was quiet longest starts anew. */
  readonly keys?: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** So many seconds' worth may come at once: clients list a dozen kinds when they start and are quiet afterwards. */
const burstSeconds = 2;

/** Bounds how often one key may ask. Whoever asks more often is told when to come again. */
export function keyRate(options: KeyRateOptions): Filter {
  const { clock, perSecond } = options;
  if (perSecond === 0) return (exchange, next) => next(exchange);
  const most = Math.max(1, perSecond * burstSeconds);
  const limit = options.keys ?? 100_000;
  const buckets = new Map<string, Bucket>();

  /** Seconds until the next request may be made; 0: this one may. */
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
    const wait = take(shareOf(caller));
    if (wait === 0) return next(exchange);
    throw tooManyRequests(
      'This access key has made too many requests, please try again later.',
      Math.max(1, Math.ceil(wait)),
    );
  };
}
