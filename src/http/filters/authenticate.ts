import { type StatusError, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { Exchange, Filter, Handler } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { linkAbortSignal } from '../request/with-signal.ts';
import { bearerTokenOf } from '../session/bearer-token.ts';
import { type BrowserSessions, browserSession, withBrowserSecurityHeaders } from '../session/browser-session.ts';
import { endOnPermissionChange } from '../session/end-on-permission-change.ts';

export interface AuthenticateOptions {
  /** Returns `undefined` if the token is invalid: the client gets 401 without further details (rule ERR-13). */
  authenticate(token: string, exchange: Exchange): MaybePromise<Identity | undefined>;
  /** The browser sessions. Optional; without them, session cookies are not accepted as credentials. */
  readonly sessions?: BrowserSessions | undefined;
  /** Called for each failed authentication before the response, with the caller if it is known. Used for audit. */
  onFailure?(exchange: Exchange, refusal: StatusError, caller?: Identity): Promise<void>;
}

/** Authenticates the caller. Ends a running request when the caller's credential becomes invalid. */
export function authenticate(options: AuthenticateOptions): Filter {
  const refuse = async (exchange: Exchange, refusal: StatusError, caller?: Identity): Promise<never> => {
    await options.onFailure?.(exchange, refusal, caller);
    throw refusal;
  };
  const admit = (exchange: Exchange, identity: Identity | undefined, next: Handler): Promise<Reply> => {
    if (identity === undefined || identity.signal.aborted) return refuse(exchange, unauthorized());
    exchange.identity = identity;
    exchange.completion.onComplete(linkAbortSignal(exchange, identity.signal));
    return endOnPermissionChange(exchange, identity, next);
  };
  return (exchange, next) => {
    const { request, credential: presented } = exchange;
    const bearer = presented?.isBearer === true ? presented.token : bearerTokenOf(request);
    const sessions = bearer === undefined ? options.sessions : undefined;
    const session = sessions === undefined ? undefined : browserSession(request, sessions);
    if (session?.refusal !== undefined) return refuse(exchange, session.refusal, session.identity);
    const credential = bearer ?? session?.value;
    const found = credential === undefined ? undefined : options.authenticate(credential, exchange);
    const replying = andThen(found, (identity) => admit(exchange, identity, next));
    return session === undefined ? replying : replying.then(withBrowserSecurityHeaders);
  };
}
