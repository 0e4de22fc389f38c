import { StatusError, tooManyRequests } from '../../api/status.ts';
import { sourceNetworkOf } from '../../auth/login-backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { sessionMismatchError } from '../session/browser-session.ts';
import { PresentedCredentials } from '../session/presented-credential.ts';

export interface SourceLimitOptions {
  readonly clock: Clock;
  /** Number of failed authentications of one source that cause no wait. Optional; defaults to 20. */
  readonly freeFailures?: number;
  readonly longestWaitMilliseconds?: number;
  /** Number of sources to track. Beyond it, the source with the oldest latest failure is forgotten. */
  readonly maxSources?: number;
}

interface Source {
  failures: number;
  blockedUntil: number;
  lastFailure: number;
}

/** If a source has had no failed authentication for this time, its failures are counted from 0 again. */
const forgetMilliseconds = 10 * 60_000;

/**
 * Makes a source wait, with exponential backoff, after too many failed authentications. A source is an IPv4 address or
 * an IPv6 /64 network, because a client can choose the other 64 bits of its address. Many clients can share an address
 * (proxy, NAT), so a credential that was valid recently is accepted even if its source has to wait. Repeated use of one
 * invalid credential, for example by a program whose key was deleted, counts as a single failure of the source.
 */
export function sourceLimitFilter(options: SourceLimitOptions): Filter {
  const freeFailures = options.freeFailures ?? 20;
  const longestWait = options.longestWaitMilliseconds ?? 60_000;
  const limit = options.maxSources ?? 10_000;
  const sources = new Map<string, Source>();
  /** Failed authentications by source and credential. */
  const invalid = new Map<string, Source>();
  /** Fingerprints of credentials that were valid recently. The credentials themselves are not kept in memory. */
  const valid = new Set<string>();
  let newestValid = '';
  const credentials = new PresentedCredentials();

  const addValid = (fingerprint: string) => {
    // Most requests have the same credential as the previous request. That credential is already the last entry, so it
    // need not be moved.
    if (fingerprint === newestValid) return;
    valid.delete(fingerprint);
    valid.add(fingerprint);
    newestValid = fingerprint;
    dropOldest(valid, limit);
  };

  const removeValid = (fingerprint: string) => {
    valid.delete(fingerprint);
    if (fingerprint === newestValid) newestValid = '';
  };

  /**
   * Counts a failed authentication. Returns true if it is the first failure under this key within `forgetMilliseconds`.
   */
  const recordFailure = (counts: Map<string, Source>, key: string): boolean => {
    const now = options.clock.elapsed();
    const before = counts.get(key);
    const isFirst = before === undefined || now - before.lastFailure > forgetMilliseconds;
    const failures = isFirst ? 1 : before.failures + 1;
    const wait =
      failures <= freeFailures ? 0 : Math.min(longestWait, 1000 * 2 ** Math.min(failures - freeFailures - 1, 20));
    counts.delete(key);
    counts.set(key, { failures, blockedUntil: now + wait, lastFailure: now });
    dropOldest(counts, limit);
    return isFirst;
  };

  /** Returns the time of the monotonic clock until which the request must wait; 0 if it need not wait. */
  const blockedUntil = (source: string, fingerprint: string | undefined): number => {
    if (sources.size === 0 && invalid.size === 0) return 0;
    const { blockedUntil: ofSource = 0 } = sources.get(sourceKey(source, fingerprint)) ?? {};
    const { blockedUntil: ofCredential = 0 } = invalid.get(credentialKey(source, fingerprint)) ?? {};
    return Math.max(ofSource, ofCredential);
  };

  return (exchange, next) => {
    const source = sourceNetworkOf(exchange.request.remoteAddress);
    exchange.credential = credentials.of(exchange);
    const fingerprint = exchange.credential?.fingerprint;
    const until = blockedUntil(source, fingerprint);
    const wait = until === 0 ? 0 : until - options.clock.elapsed();
    if (wait > 0 && (fingerprint === undefined || !valid.has(fingerprint))) {
      throw tooManyRequests('Too many failed authentications, please try again later.', Math.ceil(wait / 1000));
    }
    exchange.completion.onComplete((_reply, error) => {
      if (error === sessionMismatchError) return;
      if (error instanceof StatusError && error.code === 401) {
        if (fingerprint !== undefined) removeValid(fingerprint);
        if (fingerprint === undefined || recordFailure(invalid, credentialKey(source, fingerprint)))
          recordFailure(sources, sourceKey(source, fingerprint));
      } else if (fingerprint !== undefined && exchange.identity !== undefined) addValid(fingerprint);
    });
    return next(exchange);
  };
}

/**
 * Returns the key under which the failures of a source are counted. Failures without a credential are counted
 * separately: such requests cannot guess a credential, and browsers send them before a login.
 */
function sourceKey(source: string, fingerprint: string | undefined): string {
  return fingerprint === undefined ? `${source} without` : source;
}

function credentialKey(source: string, fingerprint: string | undefined): string {
  return `${source} ${fingerprint}`;
}

/** Removes the oldest entry if there are too many: maps and sets iterate in the order of insertion. */
function dropOldest(collection: Map<string, unknown> | Set<string>, limit: number): void {
  if (collection.size <= limit) return;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    return;
  }
}
