import { StatusError, tooManyRequests } from '../../api/status.ts';
import { sourceOf } from '../../auth/login-backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { anotherSession } from '../browser-session.ts';
import type { Filter } from '../exchange.ts';
import { PresentedCredentials } from '../presented.ts';

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
 * lately passes even while its neighbours have to wait, and a wrong one that comes again and again, as from a program that
 * was left behind with a key that is gone, is one guess: only who brings it waits.
 */
export function sourceLimit(options: SourceLimitOptions): Filter {
  const free = options.free ?? 20;
  const longestWait = options.longestWaitMilliseconds ?? 60_000;
  const limit = options.sources ?? 10_000;
  const sources = new Map<string, Source>();
  /** Wrong credentials, by where they came from. */
  const wrong = new Map<string, Source>();
  /** Marks, never the credentials themselves. */
  const good = new Set<string>();
  let newest = '';
  const credentials = new PresentedCredentials();

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

  /** Whether it is the first failure in a long time. */
  const failed = (where: Map<string, Source>, key: string): boolean => {
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

  /** By the clock's `elapsed`; 0: not at all. */
  const blockedUntil = (source: string, mark: string | undefined): number => {
    if (sources.size === 0 && wrong.size === 0) return 0;
    const { blockedUntil: here = 0 } = sources.get(addressOf(source, mark)) ?? {};
    const { blockedUntil: again = 0 } = wrong.get(sameOf(source, mark)) ?? {};
    return Math.max(here, again);
  };

  return (exchange, next) => {
    const source = sourceOf(exchange.request.remoteAddress);
    exchange.presented = credentials.of(exchange);
    const mark = exchange.presented?.mark;
    const until = blockedUntil(source, mark);
    const wait = until === 0 ? 0 : until - options.clock.elapsed();
    if (wait > 0 && (mark === undefined || !good.has(mark))) {
      throw tooManyRequests('Too many failed authentications, please try again later.', Math.ceil(wait / 1000));
    }
    exchange.settlement.follow((_reply, error) => {
      if (error === anotherSession) return;
      if (error instanceof StatusError && error.code === 401) {
        if (mark !== undefined) forget(mark);
        if (mark === undefined || failed(wrong, sameOf(source, mark))) failed(sources, addressOf(source, mark));
      } else if (mark !== undefined && exchange.identity !== undefined) remember(mark);
    });
    return next(exchange);
  };
}

/** Who shows nothing guesses nothing, and holds up nobody who does: many open the console before they sign in. */
function addressOf(source: string, mark: string | undefined): string {
  return mark === undefined ? `${source} without` : source;
}

function sameOf(source: string, mark: string | undefined): string {
  return `${source} ${mark}`;
}

/** Maps and sets keep the order in which things were put in: the first is the oldest. */
function dropOldest(collection: Map<string, unknown> | Set<string>, limit: number): void {
  if (collection.size <= limit) return;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    return;
  }
}
