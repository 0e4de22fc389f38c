import type { CredentialLimits } from '../../api/credential-limits.ts';
import { tooManyRequests } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { callerOf, flowKeyOf } from '../session/caller.ts';

export interface KeyRateLimitOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Returns the current limits. The limits may change at run time. */
  limits(): Pick<CredentialLimits, 'requestsPerSecond' | 'requestBurst'>;
  /** True for a caller without a limit. Called only for requests above the limit. */
  isExempt(identity: Identity): boolean;
  /**
   * The number of keys to track. Beyond it, the least recently used key is forgotten, and the count for this key starts
   * again.
   */
  readonly maxKeys?: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
  /**
   * The number of refused requests that the client is expected to retry and for which the rate has not yet provided
   * capacity.
   */
  refused: number;
}

/** The longest time in seconds after which a refused client should retry. */
const maxRetrySeconds = 60;

/** Limits the request rate of each access key. A request above the limit gets 429 with Retry-After. */
export function keyRateFilter(options: KeyRateLimitOptions): Filter {
  const buckets = new BucketCache(options.maxKeys ?? 100_000);

  /**
   * Counts a request. Returns 0 if the request is allowed. Otherwise returns the number of seconds after which the
   * client should retry. The number is random, at most the time in which all refused requests could be served, so
   * clients do not retry at the same time.
   */
  const secondsUntilAllowed = (key: string, perSecond: number, burst: number): number => {
    const now = options.clock.elapsed();
    const bucket = buckets.get(key) ?? buckets.add(key, { tokens: burst, filledAt: now, refused: 0 });
    const earned = ((now - bucket.filledAt) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + earned);
    bucket.refused = Math.max(0, bucket.refused - earned);
    bucket.filledAt = now;
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    const missing = 1 - bucket.tokens + bucket.refused * Math.random();
    bucket.refused++;
    return Math.min(maxRetrySeconds, missing / perSecond);
  };

  return (exchange, next) => {
    const caller = callerOf(exchange);
    const { requestsPerSecond, requestBurst } = options.limits();
    if (caller.system || requestsPerSecond === 0) return next(exchange);
    const wait = secondsUntilAllowed(flowKeyOf(caller), requestsPerSecond, requestBurst);
    if (wait === 0 || options.isExempt(caller)) return next(exchange);
    throw tooManyRequests(
      `Too many requests, please try again later: a credential may send ${requestsPerSecond} requests per second ` +
        `and ${requestBurst} at once (server settings limits.requestsPerSecond and limits.requestBurst).`,
      Math.max(1, Math.ceil(wait)),
    );
  };
}

/** The buckets of the most recently used keys. */
class BucketCache {
  readonly #buckets = new Map<string, Bucket>();
  readonly #limit: number;
  #newestKey: string | undefined;
  #newest: Bucket | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Bucket | undefined {
    // Most requests have the same key as the previous request. The bucket of that key is already the last entry, so it
    // need not be moved.
    if (key === this.#newestKey) return this.#newest;
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return undefined;
    this.#buckets.delete(key);
    return this.add(key, bucket);
  }

  add(key: string, bucket: Bucket): Bucket {
    this.#buckets.set(key, bucket);
    this.#newestKey = key;
    this.#newest = bucket;
    const [oldest] = this.#buckets.size > this.#limit ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
