import type { Exchange } from '../http/exchange.ts';
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts';
import type { GatewaySession } from './gateway-target.ts';

/** The session of each request in its target. A session is opened when the request first needs the target. */
export class RequestSessions {
  readonly #openSession: (exchange: Exchange) => MaybePromise<GatewaySession>;
  readonly #sessions = new WeakMap<Exchange, MaybePromise<GatewaySession>>();

  constructor(openSession: (exchange: Exchange) => MaybePromise<GatewaySession>) {
    this.#openSession = openSession;
  }

  open(exchange: Exchange): MaybePromise<GatewaySession> {
    const existing = this.#sessions.get(exchange);
    if (existing !== undefined) return existing;
    // Do not open a session after the request has ended, because nothing would close it.
    if (exchange.end.hasEnded) throw exchange.end.reason ?? new Error('the request has ended');
    const opening = this.#openSession(exchange);
    this.#sessions.set(exchange, opening);
    return opening;
  }

  /** Closes the session of a request, if there is one. The request may open another session later. */
  close(exchange: Exchange): void {
    const session = this.#sessions.get(exchange);
    if (session === undefined) return;
    this.#sessions.delete(exchange);
    if (!isPromise(session)) session.close();
    else
      void session.then(
        (opened) => opened.close(),
        () => {},
      );
  }
}
