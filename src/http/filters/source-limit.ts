import { StatusError, tooManyRequests } from '../../api/status.ts';
import { sourceNetworkOf } from '../../auth/login-backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { sessionMismatch } from '../session/browser-session.ts';
import { PresentedCredentials } from '../session/presented-credential.ts';

export interface SourceLimitOptions {
  readonly clock: Clock;
  /** The failed authentications that a source may have before it has to wait. */
  readonly freeFailures?: number;
  readonly longestWaitMilliseconds?: number;
  /** The number of tracked sources. Beyond it, the least recently used one is dropped. */
  readonly maxSources?: number;
}

interface Source {
  failures: number;
  blockedUntil: number;
  lastFailure: number;
}

/** The time without failures after which the count of a source restarts. */
const forgetMilliseconds = 10 * 60_000;

/**
 * Makes sources that keep failing to authenticate wait with exponential backoff. Failures are counted per source
 * address, for IPv6 per /64 prefix, because the caller can choose the rest. Many callers may share an address (a proxy,
 * a NAT), so a credential that was valid recently passes even while its source has to wait. A repeated invalid
 * credential, such as from an abandoned program with a deleted key, counts as one guess: only its own requests wait.
 */
export function sourceLimit(options: SourceLimitOptions): Filter {
  const free = options.freeFailures ?? 20;
  const longestWait = options.longestWaitMilliseconds ?? 60_000;
  const limit = options.maxSources ?? 10_000;
  const sources = new Map<string, Source>();
  /** Invalid credentials by source. */
  const invalid = new Map<string, Source>();
  /** Fingerprints of valid credentials, never the credentials themselves. */
  const valid = new Set<string>();
  let newestValid = '';
  const credentials = new PresentedCredentials();

  const addValid = (mark: string) => {
    // Most requests have the same credential as the one before, which is the newest already.
    if (mark === newestValid) return;
    valid.delete(mark);
    valid.add(mark);
    newestValid = mark;
    dropOldest(valid, limit);
  };

  const removeValid = (mark: string) => {
    valid.delete(mark);
    if (mark === newestValid) newestValid = '';
  };

  /** Records a failure. Returns true if it is the first in a long time. */
  const recordFailure = (where: Map<string, Source>, key: string): boolean => {
    const now = options.clock.elapsed();
    const before = where.get(key);
    const isFirst = before === undefined || now - before.lastFailure > forgetMilliseconds;
    const failures = isFirst ? 1 : before.failures + 1;
    const wait = failures <= free ? 0 : Math.min(longestWait, 1000 * 2 ** Math.min(failures - free - 1, 20));
    where.delete(key);
    where.set(key, { failures, blockedUntil: now + wait, lastFailure: now });
    dropOldest(where, limit);
    return isFirst;
  };

  /** Returns a time of the clock's `elapsed`; 0 if there is no wait. */
  const blockedUntil = (source: string, mark: string | undefined): number => {
    if (sources.size === 0 && invalid.size === 0) return 0;
    const { blockedUntil: here = 0 } = sources.get(sourceKey(source, mark)) ?? {};
    const { blockedUntil: again = 0 } = invalid.get(credentialKey(source, mark)) ?? {};
    return Math.max(here, again);
  };

  return (exchange, next) => {
    const source = sourceNetworkOf(exchange.request.remoteAddress);
    exchange.credential = credentials.of(exchange);
    const mark = exchange.credential?.fingerprint;
    const until = blockedUntil(source, mark);
    const wait = until === 0 ? 0 : until - options.clock.elapsed();
    if (wait > 0 && (mark === undefined || !valid.has(mark))) {
      throw tooManyRequests('Too many failed authentications, please try again later.', Math.ceil(wait / 1000));
    }
    exchange.completion.onComplete((_reply, error) => {
      if (error === sessionMismatch) return;
      if (error instanceof StatusError && error.code === 401) {
        if (mark !== undefined) removeValid(mark);
        if (mark === undefined || recordFailure(invalid, credentialKey(source, mark)))
          recordFailure(sources, sourceKey(source, mark));
      } else if (mark !== undefined && exchange.identity !== undefined) addValid(mark);
    });
    return next(exchange);
  };
}

/** Requests without a credential guess nothing and are counted separately: many open the console before they log in. */
function sourceKey(source: string, mark: string | undefined): string {
  return mark === undefined ? `${source} without` : source;
}

function credentialKey(source: string, mark: string | undefined): string {
  return `${source} ${mark}`;
}

/** Maps and sets keep insertion order, so the first entry is the oldest. */
function dropOldest(collection: Map<string, unknown> | Set<string>, limit: number): void {
  if (collection.size <= limit) return;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    return;
  }
}
