import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../lib/clock.ts';

/** Somebody tries to log in: the name as it was typed, and where from. */
export interface LoginAttempt {
  readonly account: string;
  readonly source: string;
}

export interface LoginBackoff {
  /**
   * Counts the attempt as failed from now on, so that many at the same moment are no way around. A number instead: so
   * many milliseconds are to be waited, and nothing was counted.
   */
  admit(attempt: LoginAttempt): number | AdmittedLogin;
}

export interface AdmittedLogin {
  succeeded(): void;
  /** It was not found out whether the password was right. */
  givenUp(): void;
}

interface Policy {
  /** Failures that are nobody's business. */
  readonly free: number;
  readonly longestWait: number;
}

/*
 * The one who guesses one account from one place waits longest. Guesses at one account from everywhere, and from one
 * place at all accounts, are slowed down too, but so that nobody can lock an account, or a house behind one address,
 * for longer than a person waits; and whoever logged in lately from the same place is not even slowed down by those.
 */
const together: Policy = { free: 5, longestWait: 5 * 60_000 };
const perSource: Policy = { free: 50, longestWait: 30_000 };
const perAccount: Policy = { free: 100, longestWait: 5_000 };

/** Whoever was quiet for so long starts anew. */
const forgetAfter = 30 * 60_000;
/** What is remembered of each sort at a time; beyond it, what was quiet longest is forgotten. */
const mostRemembered = 10_000;

/** Names may be unknown ones: nothing here depends on whether there is such an account. */
export function createLoginBackoff(clock: Clock, remembered: number = mostRemembered): LoginBackoff {
  const elapsed = () => clock.elapsed();
  const pairs = new Failures(together, elapsed, remembered);
  const sources = new Failures(perSource, elapsed, remembered);
  const accounts = new Failures(perAccount, elapsed, remembered);
  const good = new Map<string, true>();
  const secret = randomBytes(32);
  // People type passwords where names belong: what stays in memory is not worth stealing.
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest('base64');

  return {
    admit({ account, source }) {
      const place = sourceOf(source);
      const pair = digest(`${place} ${account}`);
      const counted: (readonly [Failures, string])[] = [[pairs, pair]];
      if (!good.has(pair)) counted.push([sources, place], [accounts, digest(account)]);
      const wait = Math.max(...counted.map(([failures, key]) => failures.wait(key)));
      if (wait > 0) return wait;
      const undo = counted.map(([failures, key]) => failures.count(key));
      const givenUp = () => {
        for (const takeBack of undo) takeBack();
      };
      return {
        givenUp,
        succeeded() {
          givenUp();
          pairs.forget(pair);
          putLast(good, pair, true, remembered);
        },
      };
    },
  };
}

interface Failed {
  readonly count: number;
  readonly last: number;
  readonly blockedUntil: number;
}

class Failures {
  readonly #policy: Policy;
  readonly #elapsed: () => number;
  readonly #most: number;
  readonly #failed = new Map<string, Failed>();

  constructor(policy: Policy, elapsed: () => number, most: number) {
    this.#policy = policy;
    this.#elapsed = elapsed;
    this.#most = most;
  }

  wait(key: string): number {
    return Math.max(0, (this.#failed.get(key)?.blockedUntil ?? 0) - this.#elapsed());
  }

  /** Returns how this one failure is taken back: whatever was counted besides it stays. */
  count(key: string): () => void {
    const now = this.#elapsed();
    const found = this.#failed.get(key);
    const before = found !== undefined && now - found.last <= forgetAfter ? found : undefined;
    const count = (before?.count ?? 0) + 1;
    putLast(this.#failed, key, { count, last: now, blockedUntil: now + this.#waitAfter(count) }, this.#most);
    return () => {
      const current = this.#failed.get(key);
      if (current === undefined) return;
      const left = current.count - 1;
      const blockedUntil = left === (before?.count ?? 0) ? (before?.blockedUntil ?? 0) : current.blockedUntil;
      if (left <= 0) this.#failed.delete(key);
      else this.#failed.set(key, { ...current, count: left, blockedUntil });
    };
  }

  forget(key: string): void {
    this.#failed.delete(key);
  }

  #waitAfter(count: number): number {
    const { free, longestWait } = this.#policy;
    return count <= free ? 0 : Math.min(longestWait, 1000 * 2 ** Math.min(count - free - 1, 20));
  }
}

/** A map keeps the order in which things were put in: the first is the oldest. */
function putLast<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

let latest = { address: '', source: '' };

/** Where an address belongs: whoever has one address of IPv6 has the 2^64 beside it as well. */
export function sourceOf(address: string): string {
  // Asked for with every request, of which many come from one address.
  if (address !== latest.address) latest = { address, source: placeOf(address) };
  return latest.source;
}

function placeOf(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!plain.includes(':') || !isIPv6(plain)) return plain;
  const [left = '', right] = plain.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  // An IPv4 address at the end stands for two groups; it never reaches into the first four.
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
