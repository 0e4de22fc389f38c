import type { CredentialLimits } from '../../api/credential-limits.ts';
import { tooManyRequests } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Filter } from '../exchange.ts';
import { hasDeferredBody } from '../reply.ts';
import { callerOf, flowKeyOf, isUserTenant, tenantKeyOf } from '../session/caller.ts';

export interface WatchLimitOptions {
  /** Returns the current limits. The limits may change at run time. */
  limits(): Pick<CredentialLimits, 'watchesPerKey' | 'watchesPerUser' | 'watchesPerConnection'>;
  /** True for a caller without a limit. Called only for watches above a limit. */
  isExempt(identity: Identity): boolean;
}

/**
 * The average time after which a client may try again. Watches stay open for minutes, so trying sooner would not help.
 * The actual time is random, so that clients that were refused together do not return together.
 */
const averageRetrySeconds = 10;

/**
 * Limits the number of open watches of each access key, user and connection, because every open watch uses memory. A
 * watch counts from the arrival of its request to the end of its response. A watch above a limit gets 429.
 */
export function watchLimitFilter(options: WatchLimitOptions): Filter {
  const ofKeys = new Counts<string>();
  const ofTenants = new Counts<string>();
  const ofConnections = new Counts<object>();

  const limitReached = ({ key, tenant, connection }: WatchHolders): LimitReached | undefined => {
    const { watchesPerKey, watchesPerUser, watchesPerConnection } = options.limits();
    const ofKey = ofKeys.get(key);
    if (isReached(ofKey, watchesPerKey)) {
      return { holder: 'this credential', open: ofKey, setting: 'watchesPerKey', most: watchesPerKey };
    }
    const ofTenant = ofTenants.get(tenant);
    if (isReached(ofTenant, watchesPerUser)) {
      return { holder: describeTenant(tenant), open: ofTenant, setting: 'watchesPerUser', most: watchesPerUser };
    }
    const ofConnection = connection === undefined ? 0 : ofConnections.get(connection);
    if (!isReached(ofConnection, watchesPerConnection)) return undefined;
    const setting = 'watchesPerConnection';
    return { holder: 'this connection', open: ofConnection, setting, most: watchesPerConnection };
  };

  const count = ({ key, tenant, connection }: WatchHolders, by: 1 | -1): void => {
    ofKeys.add(key, by);
    ofTenants.add(tenant, by);
    if (connection !== undefined) ofConnections.add(connection, by);
  };

  return (exchange, next) => {
    const { info, request, completion, end } = exchange;
    if (info.verb !== 'watch' || !info.isResource) return next(exchange);
    const caller = callerOf(exchange);
    if (caller.system) return next(exchange);
    const holders = { key: flowKeyOf(caller), tenant: tenantKeyOf(caller), connection: request.connection };
    const reached = limitReached(holders);
    if (reached !== undefined && !options.isExempt(caller)) throw tooManyWatches(reached);

    count(holders, 1);
    completion.onComplete((reply) => {
      if (hasDeferredBody(reply)) end.onEnd(() => count(holders, -1));
      else count(holders, -1);
    });
    return next(exchange);
  };
}

/** The credential, the tenant and the connection whose limits a watch counts toward. */
interface WatchHolders {
  readonly key: string;
  readonly tenant: string;
  readonly connection: object | undefined;
}

interface LimitReached {
  readonly holder: string;
  readonly open: number;
  readonly setting: keyof CredentialLimits;
  readonly most: number;
}

function isReached(open: number, most: number): boolean {
  return most > 0 && open >= most;
}

function describeTenant(tenant: string): string {
  return isUserTenant(tenant)
    ? 'this user with all its credentials'
    : 'this virtual cluster with all its service accounts';
}

function tooManyWatches({ holder, open, setting, most }: LimitReached): Error {
  return tooManyRequests(
    `Too many open watches, please close some or try again later: ${holder} has ${open} open watches, and the server ` +
      `setting limits.${setting} allows ${most}.`,
    Math.round(averageRetrySeconds * (0.5 + Math.random())),
  );
}

/** Counters by key. A counter that reaches zero is removed. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>();

  get(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: Key, by: 1 | -1): void {
    const count = this.get(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
