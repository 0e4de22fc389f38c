import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../lib/clock.ts';

/** A login attempt: the user name as typed, and the address of the client. */
export interface LoginAttempt {
  readonly account: string;
  readonly source: string;
}

export interface LoginBackoff {
  /**
   * Admits a login attempt, or returns the number of milliseconds that the client must wait. An admitted attempt counts
   * as failed until `succeed` or `abandon` is called. Otherwise, concurrent attempts could bypass the limit.
   */
  admit(attempt: LoginAttempt): number | AdmittedLogin;
  /**
   * Counts a login request with an invalid body as a failed attempt of its source. Returns the number of milliseconds
   * that the client must wait, 0 if it need not wait.
   */
  countMalformed(source: string): number;
}

export interface AdmittedLogin {
  /**
   * True if the account recently logged in from the same source. Failed attempts from other sources then do not delay
   * this attempt.
   */
  readonly isKnownPair: boolean;
  succeed(): void;
  /** Removes this attempt from the count of failures. The caller uses this method if it did not check the password. */
  abandon(): void;
}

export interface LoginBackoffPolicy {
  /** The number of failed attempts that cause no wait. */
  readonly freeFailures: number;
  readonly maxWait: number;
}

/*
 * Guesses at one account from one source wait longest. Guesses at one account from many sources, and from one source at
 * many accounts, are slowed down too. Those waits are short, so that an attacker cannot lock an account, or a network
 * behind one address, for longer than a person tolerates. An account that recently logged in from the same source is
 * exempt from both.
 */
export const perPair: LoginBackoffPolicy = { freeFailures: 5, maxWait: 5 * 60_000 };
const perSource: LoginBackoffPolicy = { freeFailures: 50, maxWait: 30_000 };
export const perAccount: LoginBackoffPolicy = { freeFailures: 100, maxWait: 5_000 };

/** Failed attempts are forgotten after this time without another attempt. */
export const resetAfterMs = 30 * 60_000;

/** Returns the wait in milliseconds after `count` failed attempts. */
export function waitAfterFailures({ freeFailures, maxWait }: LoginBackoffPolicy, count: number): number {
  return count <= freeFailures ? 0 : Math.min(maxWait, 1000 * 2 ** Math.min(count - freeFailures - 1, 20));
}
/** Maximum number of entries per table. If it is exceeded, the least recently used entry is evicted. */
const maxEntries = 10_000;

/** Creates the login backoff. The wait does not depend on whether an account exists. */
export function createLoginBackoff(clock: Clock, limit: number = maxEntries): LoginBackoff {
  const elapsed = () => clock.elapsed();
  const pairs = new Failures(perPair, elapsed, limit);
  const sources = new Failures(perSource, elapsed, limit);
  const accounts = new Failures(perAccount, elapsed, limit);
  const succeededPairs = new Map<string, true>();
  const secret = randomBytes(32);
  // Users sometimes type their password into the name field, so only digests of names are stored.
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest('base64');

  return {
    admit({ account, source }) {
      const network = sourceNetworkOf(source);
      const pair = digest(`${network} ${account}`);
      const counted: (readonly [Failures, string])[] = [[pairs, pair]];
      const isKnownPair = succeededPairs.has(pair);
      if (!isKnownPair) counted.push([sources, network], [accounts, digest(account)]);
      const wait = Math.max(...counted.map(([failures, key]) => failures.wait(key)));
      if (wait > 0) return wait;
      const undo = counted.map(([failures, key]) => failures.count(key));
      const undoAll = () => {
        for (const revert of undo) revert();
      };
      return {
        isKnownPair,
        abandon: undoAll,
        succeed() {
          undoAll();
          pairs.forget(pair);
          putLast(succeededPairs, pair, true, limit);
        },
      };
    },

    countMalformed(source) {
      const network = sourceNetworkOf(source);
      const wait = sources.wait(network);
      if (wait === 0) sources.count(network);
      return wait;
    },
  };
}

interface FailureRecord {
  readonly count: number;
  readonly last: number;
  readonly blockedUntil: number;
}

class Failures {
  readonly #policy: LoginBackoffPolicy;
  readonly #elapsed: () => number;
  readonly #limit: number;
  readonly #records = new Map<string, FailureRecord>();

  constructor(policy: LoginBackoffPolicy, elapsed: () => number, limit: number) {
    this.#policy = policy;
    this.#elapsed = elapsed;
    this.#limit = limit;
  }

  wait(key: string): number {
    return Math.max(0, (this.#records.get(key)?.blockedUntil ?? 0) - this.#elapsed());
  }

  /** Counts a failure. Returns a function that reverts this failure only. */
  count(key: string): () => void {
    const now = this.#elapsed();
    const found = this.#records.get(key);
    const before = found !== undefined && now - found.last <= resetAfterMs ? found : undefined;
    const count = (before?.count ?? 0) + 1;
    putLast(
      this.#records,
      key,
      { count, last: now, blockedUntil: now + waitAfterFailures(this.#policy, count) },
      this.#limit,
    );
    return () => {
      const current = this.#records.get(key);
      if (current === undefined) return;
      const left = current.count - 1;
      const blockedUntil = left === (before?.count ?? 0) ? (before?.blockedUntil ?? 0) : current.blockedUntil;
      if (left <= 0) this.#records.delete(key);
      else this.#records.set(key, { ...current, count: left, blockedUntil });
    };
  }

  forget(key: string): void {
    this.#records.delete(key);
  }
}

/**
 * Adds an entry as the newest entry, and removes the oldest entry if there are more than `limit`. A Map iterates in
 * insertion order, so its first entry is the oldest.
 */
function putLast<T>(map: Map<string, T>, key: string, value: T, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

let latest = { address: '', source: '' };

/** Returns the network of a client: the IPv4 address, or the /64 prefix of an IPv6 address, which one client owns. */
export function sourceNetworkOf(address: string): string {
  // Cached, because every request calls this function, often with the same address as the previous one.
  if (address !== latest.address) latest = { address, source: networkOf(address) };
  return latest.source;
}

function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!plain.includes(':') || !isIPv6(plain)) return plain;
  const [left = '', right] = plain.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  // An IPv4 address at the end of an IPv6 address counts as one group here instead of two. That is harmless, because
  // the error never affects the first four groups.
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
