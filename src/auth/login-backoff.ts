import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../lib/clock.ts';

/** A login attempt: the name as typed, and the client's address. */
export interface LoginAttempt {
  readonly account: string;
  readonly source: string;
}

export interface LoginBackoff {
  /**
   * Counts the attempt as failed at once, so that concurrent attempts cannot bypass the limit. If the caller must wait,
   * returns the wait in milliseconds and counts nothing.
   */
  admit(attempt: LoginAttempt): number | AdmittedLogin;
}

export interface AdmittedLogin {
  succeed(): void;
  /** Reverts the count: the password was not checked. */
  abandon(): void;
}

interface Policy {
  /** The number of failures without a wait. */
  readonly freeFailures: number;
  readonly maxWait: number;
}

/*
 * Guesses at one account from one source wait longest. Guesses at one account from many sources, and from one source at
 * many accounts, are slowed down too. Those waits are short, so that an attacker cannot lock an account, or a network
 * behind one address, for longer than a person tolerates. An account that recently logged in from the same source is
 * exempt from both.
 */
const perPair: Policy = { freeFailures: 5, maxWait: 5 * 60_000 };
const perSource: Policy = { freeFailures: 50, maxWait: 30_000 };
const perAccount: Policy = { freeFailures: 100, maxWait: 5_000 };

/** Failures are forgotten after this time without an attempt. */
const resetAfterMs = 30 * 60_000;
/** The maximum number of entries per table; beyond it the least recently used entry is evicted. */
const maxEntries = 10_000;

/** Account names may be unknown: the result does not depend on whether the account exists. */
export function createLoginBackoff(clock: Clock, limit: number = maxEntries): LoginBackoff {
  const elapsed = () => clock.elapsed();
  const pairs = new Failures(perPair, elapsed, limit);
  const sources = new Failures(perSource, elapsed, limit);
  const accounts = new Failures(perAccount, elapsed, limit);
  const succeededPairs = new Map<string, true>();
  const secret = randomBytes(32);
  // Users type passwords into the name field, so names are kept only as digests.
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest('base64');

  return {
    admit({ account, source }) {
      const network = sourceNetworkOf(source);
      const pair = digest(`${network} ${account}`);
      const counted: (readonly [Failures, string])[] = [[pairs, pair]];
      if (!succeededPairs.has(pair)) counted.push([sources, network], [accounts, digest(account)]);
      const wait = Math.max(...counted.map(([failures, key]) => failures.wait(key)));
      if (wait > 0) return wait;
      const undo = counted.map(([failures, key]) => failures.count(key));
      const undoAll = () => {
        for (const revert of undo) revert();
      };
      return {
        abandon: undoAll,
        succeed() {
          undoAll();
          pairs.forget(pair);
          putLast(succeededPairs, pair, true, limit);
        },
      };
    },
  };
}

interface FailureRecord {
  readonly count: number;
  readonly last: number;
  readonly blockedUntil: number;
}

class Failures {
  readonly #policy: Policy;
  readonly #elapsed: () => number;
  readonly #limit: number;
  readonly #records = new Map<string, FailureRecord>();

  constructor(policy: Policy, elapsed: () => number, limit: number) {
    this.#policy = policy;
    this.#elapsed = elapsed;
    this.#limit = limit;
  }

  wait(key: string): number {
    return Math.max(0, (this.#records.get(key)?.blockedUntil ?? 0) - this.#elapsed());
  }

  /** Returns a function that reverts this failure only. */
  count(key: string): () => void {
    const now = this.#elapsed();
    const found = this.#records.get(key);
    const before = found !== undefined && now - found.last <= resetAfterMs ? found : undefined;
    const count = (before?.count ?? 0) + 1;
    putLast(this.#records, key, { count, last: now, blockedUntil: now + this.#waitAfter(count) }, this.#limit);
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

  #waitAfter(count: number): number {
    const { freeFailures, maxWait } = this.#policy;
    return count <= freeFailures ? 0 : Math.min(maxWait, 1000 * 2 ** Math.min(count - freeFailures - 1, 20));
  }
}

/** A Map iterates in insertion order, so its first entry is the oldest. */
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

/** Returns the source of an address: an IPv4 address, or the /64 of an IPv6 address, which one client owns entirely. */
export function sourceNetworkOf(address: string): string {
  // Called for every request; consecutive requests often come from the same address.
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
  // An embedded IPv4 address counts as two groups; it never reaches into the first four.
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
