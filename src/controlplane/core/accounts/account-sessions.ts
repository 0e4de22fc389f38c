import { getEventListeners, setMaxListeners } from 'node:events';
import { unauthorized } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ServiceAccountTokenContent } from './account-tokens.ts';

interface Session {
  readonly token: ServiceAccountTokenContent;
  readonly controller: AbortController;
  /** The time of the last request with the token, on the monotonic clock (`Clock.elapsed`). */
  usedAt: number;
  cancelTimer: (() => void) | undefined;
}

/**
 * The number of sessions at which idle sessions are removed for the first time. A session is idle if no request or
 * watch listens to its signal, and no request has used its token for `idleMilliseconds`.
 */
const firstSweep = 256;
const idleMilliseconds = 60_000;

/**
 * Provides one abort signal for each service account token. Requests and watches that use the token listen to the
 * signal. The signal fires when the token expires, when its service account is deleted, or when the secret to which the
 * token is bound is deleted.
 */
export class ServiceAccountSessions {
  readonly #clock: Clock;
  readonly #isValid: (token: ServiceAccountTokenContent) => boolean;
  readonly #sessions = new Map<string, Session>();
  #sweepAt = firstSweep;

  constructor(clock: Clock, isValid: (token: ServiceAccountTokenContent) => boolean) {
    this.#clock = clock;
    this.#isValid = isValid;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Returns the signal of a valid token. All requests with the same token share the signal. */
  signal(token: ServiceAccountTokenContent): AbortSignal {
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

  /** Checks the tokens of a service account or secret that was changed or deleted, and ends invalid sessions. */
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
    if (!this.#isValid(session.token)) this.#end(session, unauthorized());
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
