import { forbiddenPath, type StatusError, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { Exchange, Filter, Handler } from '../exchange.ts';
import type { Freshness } from '../freshness.ts';
import { hasDeferredBody, type Reply } from '../reply.ts';
import { linkAbortSignal } from '../request/with-signal.ts';
import { bearerTokenOf } from '../session/bearer-token.ts';
import {
  type BrowserSession,
  type BrowserSessions,
  browserSession,
  withBrowserSecurityHeaders,
} from '../session/browser-session.ts';
import { endOnPermissionChange } from '../session/end-on-permission-change.ts';
import { sessionCookieOf } from '../session/session-cookie.ts';
import { RefusalConfirmation } from './refusal-confirmation.ts';

export interface AuthenticateOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Returns `undefined` if the token is invalid: the client gets 401 without further details (rule ERR-13). */
  authenticate(token: string, exchange: Exchange): MaybePromise<Identity | undefined>;
  /** The browser sessions. Optional; without them, session cookies are not accepted as credentials. */
  readonly sessions?: BrowserSessions | undefined;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness?: Freshness | undefined;
  /** Called for each failed authentication before the response, with the caller if it is known. Used for audit. */
  onFailure?(exchange: Exchange, refusal: StatusError, caller?: Identity): Promise<void>;
}

/** The credential of a request and its holder. */
interface Identification {
  /** The browser session, if the credential is a session cookie. */
  readonly session: BrowserSession | undefined;
  /** The holder; `undefined` if the credential is missing or invalid. */
  readonly identity: MaybePromise<Identity | undefined>;
}

/**
 * Authenticates the caller. Ends a running request when the caller's credential becomes invalid, or when this process cannot
 * confirm any longer that credentials are valid.
 */
export function authenticate(options: AuthenticateOptions): Filter {
  const { freshness, clock } = options;
  const refuse = async (exchange: Exchange, refusal: StatusError, caller?: Identity): Promise<never> => {
    await options.onFailure?.(exchange, refusal, caller);
    throw refusal;
  };
  const admit = (exchange: Exchange, identity: Identity | undefined, next: Handler): Promise<Reply> => {
    if (!isValid(identity)) return refuse(exchange, unauthorized());
    const { remoteAddress } = exchange.request;
    if (identity.allowsAddress?.(remoteAddress) === false)
      return refuse(exchange, addressRefusal(identity, remoteAddress), identity);
    exchange.identity = identity;
    exchange.completion.onComplete(linkAbortSignal(exchange, identity.signal));
    if (freshness !== undefined) endWhenLost(exchange, freshness);
    return endOnPermissionChange(exchange, identity, next);
  };
  const identify = (exchange: Exchange): Identification => {
    const { request, credential: presented } = exchange;
    const bearer = presented?.isBearer === true ? presented.token : bearerTokenOf(request);
    const sessions = bearer === undefined ? options.sessions : undefined;
    const session = sessions === undefined ? undefined : browserSession(exchange, sessions);
    const credential = bearer ?? (session?.refusal === undefined ? session?.value : undefined);
    return { session, identity: credential === undefined ? undefined : options.authenticate(credential, exchange) };
  };
  const respond = (exchange: Exchange, { session, identity }: Identification, next: Handler): Promise<Reply> => {
    if (session?.refusal !== undefined) return refuse(exchange, session.refusal, session.identity);
    const replying = andThen(identity, (holder) => admit(exchange, holder, next));
    return session === undefined ? replying : replying.then(withBrowserSecurityHeaders);
  };
  /**
   * Responds from the current state. If the credential seems invalid, but the caches may be older than the request,
   * looks up the credential again.
   */
  const respondConfirmed = (exchange: Exchange, known: Freshness, next: Handler): Promise<Reply> => {
    const confirmation = new RefusalConfirmation(known, clock, exchange, () => identify(exchange).identity);
    exchange.confirmation = confirmation;
    const { session, identity } = identify(exchange);
    return andThen(identity, (holder) => {
      const found = { session, identity: holder };
      const isFinal = isValid(holder) || session?.refusal !== undefined || !presentsCredential(exchange);
      if (isFinal) return respond(exchange, found, next);
      const hasNewState = confirmation.hasNewState();
      return hasNewState.then((isNew) => respond(exchange, isNew ? identify(exchange) : found, next));
    });
  };
  return (exchange, next) => {
    if (freshness === undefined) return respond(exchange, identify(exchange), next);
    const waiting = freshness.requireCurrent();
    if (waiting === undefined) return respondConfirmed(exchange, freshness, next);
    return waiting.then(() => respondConfirmed(exchange, freshness, next));
  };
}

function addressRefusal({ accessKey = '' }: Identity, address: string): StatusError {
  return forbiddenPath(
    `the access key "${accessKey}" may not be used from the address ${address || 'of this client, which X-Forwarded-For does not name'}; spec.allowedCIDRs of the key, of its user or creator, or of the key that created it does not contain the address`,
  );
}

function isValid(identity: Identity | undefined): identity is Identity {
  return identity !== undefined && !identity.signal.aborted;
}

function presentsCredential({ request, credential }: Exchange): boolean {
  return credential !== undefined || bearerTokenOf(request) !== undefined || sessionCookieOf(request) !== undefined;
}

/** Ends a stream when this process cannot confirm any longer that the credential of its caller is valid. */
function endWhenLost(exchange: Exchange, { lost }: Freshness): void {
  exchange.completion.onComplete((reply) => {
    if (hasDeferredBody(reply)) linkAbortSignal(exchange, lost)(reply);
  });
}
