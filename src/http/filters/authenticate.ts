import { type StatusError, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import { type BrowserSessions, browserSession, forBrowser } from '../browser-session.ts';
import { credentialOf } from '../credential.ts';
import type { Exchange, Filter, Handler, Reply } from '../exchange.ts';
import { withRights } from '../with-rights.ts';
import { joinSignal } from '../with-signal.ts';

export interface AuthenticateOptions {
  /** undefined: 401, and the caller learns no more than that (rule ERR-13). */
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
  /** Absent: cookies are no credentials here. */
  readonly sessions?: BrowserSessions | undefined;
  /** Told of each failure before it is answered, and of who it was where that is known: audit keeps them too. */
  onFailure?(exchange: Exchange, refusal: StatusError, caller?: Identity): Promise<void>;
}

/** From here on it is known who asks, and the request ends when their right to be here does. */
export function authenticate(options: AuthenticateOptions): Filter {
  const refuse = async (exchange: Exchange, refusal: StatusError, caller?: Identity): Promise<never> => {
    await options.onFailure?.(exchange, refusal, caller);
    throw refusal;
  };
  const admit = (exchange: Exchange, identity: Identity | undefined, next: Handler): Promise<Reply> => {
    if (identity === undefined || identity.signal.aborted) return refuse(exchange, unauthorized());
    exchange.identity = identity;
    exchange.settlement.follow(joinSignal(exchange, identity.signal));
    return withRights(exchange, identity, next);
  };
  return (exchange, next) => {
    const { request, presented } = exchange;
    const bearer = presented?.isBearer === true ? presented.token : credentialOf(request);
    const asked = bearer === undefined ? options.sessions : undefined;
    const session = asked === undefined ? undefined : browserSession(request, asked);
    if (session?.refusal !== undefined) return refuse(exchange, session.refusal, session.holder);
    const credential = bearer ?? session?.value;
    const found = credential === undefined ? undefined : options.authenticate(credential, exchange);
    // Access keys are known at once.
    const answering =
      found instanceof Promise
        ? found.then((identity) => admit(exchange, identity, next))
        : admit(exchange, found, next);
    return session === undefined ? answering : answering.then(forBrowser);
  };
}
