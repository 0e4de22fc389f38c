import { getEventListeners, setMaxListeners } from 'node:events';
import { unauthorized } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { AccountToken } from './account-tokens.ts';

interface Session {
  readonly token: AccountToken;
  readonly controller: AbortController;
  /** By the clock's `elapsed`. */
  usedAt: number;
  cancelTimer: (() => void) | undefined;
}

/** The number of sessions from which idle ones are evicted: not used for a while, and without listeners. */
const firstSweep = 256;
const idleMilliseconds = 60_000;

/**
 * One abort signal per service account token, for everything that is open under it. It fires when the token expires, or
 * when its account or the secret that it is bound to is gone.
 */
export class AccountSessions {
  readonly #clock: Clock;
  readonly #isGood: (token: AccountToken) => boolean;
  readonly #sessions = new Map<string, Session>();
  #sweepAt = firstSweep;

  constructor(clock: Clock, isGood: (token: AccountToken) => boolean) {
    this.#clock = clock;
    this.#isGood = isGood;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The signal of a valid token, shared by all requests with that token. */
  signal(token: AccountToken): AbortSignal {
    const known = this.#sessions.get(token.id);
    if (known !== undefined) {
      known.usedAt = this.#clock.elapsed();
      return known.controller.signal;
    }
    if (this.#sessions.size >= this.#sweepAt) this.#sweep();
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const session: Session = { token, controller, usedAt: this.#clock.elapsed(), cancelTimer: undefined };
    this.#sessions.set(token.id, session);
    if (token.expiresAt !== undefined) {
      session.cancelTimer = this.#clock.at(token.expiresAt * 1000, () => this.#check(session));
    }
    return controller.signal;
  }

  /** Checks the sessions of an account or secret that has changed or is gone. */
  checkSessionsOf(namespace: string, name: string): void {
    for (const session of [...this.#sessions.values()]) {
      const { account, secret } = session.token;
      if (session.token.namespace !== namespace || (account.name !== name && secret?.name !== name)) continue;
      this.#check(session);
    }
  }

  close(): void {
    for (const session of [...this.#sessions.values()]) this.#end(session, new Error('the control plane is closed'));
  }

  #check(session: Session): void {
    if (!this.#isGood(session.token)) this.#end(session, unauthorized());
  }

  #end(session: Session, reason: Error): void {
    this.#sessions.delete(session.token.id);
    session.cancelTimer?.();
    session.controller.abort(reason);
  }

  #sweep(): void {
    const before = this.#clock.elapsed() - idleMilliseconds;
    for (const [id, session] of this.#sessions) {
      if (session.usedAt > before || getEventListeners(session.controller.signal, 'abort').length > 0) continue;
      session.cancelTimer?.();
      this.#sessions.delete(id);
    }
    this.#sweepAt = Math.max(firstSweep, 2 * this.#sessions.size);
  }
}
