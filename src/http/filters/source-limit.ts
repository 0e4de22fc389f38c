import { hash, randomBytes } from 'node:crypto';
import { StatusError, tooManyRequests } from '../../api/status.ts';
import { sourceOf } from '../../auth/login-backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { credentialOf } from '../credential.ts';
import type { Filter } from '../exchange.ts';

export interface SourceLimitOptions {
  readonly clock: Clock;
  /** Failed authentications that a source may have before it has to wait. */
  readonly free?: number;
  readonly longestWaitMilliseconds?: number;
  /** Sources remembered at a time; beyond it the one that was quiet longest is forgotten. */
  readonly sources?: number;
}

interface Source {
  failures: number;
  blockedUntil: number;
  lastFailure: number;
}

/** A source that failed no more for so long starts anew. */
const forgetMilliseconds = 10 * 60_000;

/**
 * Whoever keeps failing to authenticate waits longer and longer. Counted per source address, of IPv6 per 64 bits of it,
 * as the rest is the caller's to choose. Many callers may share one (a proxy, a NAT), so a credential that was good
 * lately passes even while its neighbours have to wait.
 */
export function sourceLimit(options: SourceLimitOptions): Filter {
  const free = options.free ?? 20;
  const longestWait = options.longestWaitMilliseconds ?? 60_000;
  const limit = options.sources ?? 10_000;
  const sources = new Map<string, Source>();
  const good = new Set<string>();
  const secret = randomBytes(32).toString('base64');
  // Never the credential itself: what lies in memory for long must not be worth stealing.
  const digest = (credential: string) => hash('sha256', secret + credential, 'base64');

  let newest = '';

  const remember = (mark: string) => {
    // Most requests come with the credential of the one before, which is the newest already.
    if (mark === newest) return;
    good.delete(mark);
    good.add(mark);
    newest = mark;
    dropOldest(good, limit);
  };

  const forget = (mark: string) => {
    good.delete(mark);
    if (mark === newest) newest = '';
  };

  const failed = (address: string) => {
    const now = options.clock.elapsed();
    const before = sources.get(address);
    const failures = before === undefined || now - before.lastFailure > forgetMilliseconds ? 1 : before.failures + 1;
    const wait = failures <= free ? 0 : Math.min(longestWait, 1000 * 2 ** Math.min(failures - free - 1, 20));
    sources.delete(address);
    sources.set(address, { failures, blockedUntil: now + wait, lastFailure: now });
    dropOldest(sources, limit);
  };

  return async (exchange, next) => {
    const address = sourceOf(exchange.request.remoteAddress);
    const credential = credentialOf(exchange.request);
    const mark = credential === undefined ? undefined : digest(credential);
    const wait = (sources.get(address)?.blockedUntil ?? 0) - options.clock.elapsed();
    if (wait > 0 && (mark === undefined || !good.has(mark))) {
      throw tooManyRequests('Too many failed authentications, please try again later.', Math.ceil(wait / 1000));
    }
    try {
      const reply = await next();
      if (mark !== undefined && exchange.identity !== undefined) remember(mark);
      return reply;
    } catch (error) {
      if (error instanceof StatusError && error.code === 401) {
        if (mark !== undefined) forget(mark);
        failed(address);
      } else if (mark !== undefined && exchange.identity !== undefined) remember(mark);
      throw error;
    }
  };
}

/** Maps and sets keep the order in which things were put in: the first is the oldest. */
function dropOldest(collection: Map<string, unknown> | Set<string>, limit: number): void {
  if (collection.size <= limit) return;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    return;
  }
}
