import type { SignInProblem } from '../../../api/sign-in.ts';
import { forbiddenPath, type StatusError, serviceUnavailable, unauthorized } from '../../../api/status.ts';
import type { Identity } from '../../../auth/identity.ts';
import { type OidcConnector, ProviderError, type ProviderErrorReason } from '../../../auth/oidc/connector.ts';
import type { Exchange, Filter } from '../../../http/exchange.ts';
import type { Reply } from '../../../http/reply.ts';
import type { Logins, OpenedLogin } from '../logins.ts';
import type { IdentityLogins } from './identity-logins.ts';
import type { StoredSignIn } from './pending-cookie.ts';
import { SignInError } from './problem-reply.ts';

export interface ProviderSignInOptions {
  readonly identityLogins: Pick<IdentityLogins, 'open'>;
  readonly logins: Pick<Logins, 'end'>;
  /** Returns the identity that an access key authenticates; `undefined` for an invalid key. */
  authenticate(key: string): Identity | undefined;
  readonly audited: Filter;
}

/** A sign-in that the provider sent back to this server. */
export interface ReturnedSignIn {
  readonly connector: OidcConnector;
  readonly pending: StoredSignIn;
  /** The URL with which the provider sent the browser back. */
  readonly callback: URL;
}

const problems: Readonly<Record<ProviderErrorReason, SignInProblem>> = {
  Unavailable: 'ProviderUnavailable',
  Rejected: 'Refused',
  NotAllowed: 'NotAllowed',
  Gone: 'Refused',
};

/**
 * Completes a sign-in at a provider and opens the login. The audit event names the connector, the subject and the
 * login, or the reason of the failure. Throws SignInError if no login is opened.
 */
export async function completeSignIn(
  options: ProviderSignInOptions,
  exchange: Exchange,
  returned: ReturnedSignIn,
  createReply: (login: OpenedLogin) => Reply,
): Promise<Reply> {
  // Only the path is audited, because the URL contains the code. The provider accepts the code only once, but it may
  // not have been used yet.
  exchange.auditedUrl = returned.callback.pathname;
  let failure: SignInError | undefined;
  try {
    return await options.audited(exchange, async () => {
      try {
        return createReply(await openLogin(options, exchange, returned));
      } catch (error) {
        if (!(error instanceof SignInError)) throw error;
        failure = error;
        exchange.decision = { allowed: false, reason: `${methodOf(returned.connector)}: ${error.message}` };
        throw statusOf(error);
      }
    });
  } catch (error) {
    throw failure ?? error;
  }
}

async function openLogin(
  { identityLogins, logins, authenticate }: ProviderSignInOptions,
  exchange: Exchange,
  { connector, pending, callback }: ReturnedSignIn,
): Promise<OpenedLogin> {
  const login = await connector.finish(pending, callback, exchange.signal).catch((error: unknown) => {
    if (error instanceof ProviderError) throw new SignInError(problems[error.reason], error.message);
    throw error;
  });
  const subject = JSON.stringify(login.identity.subject);
  const opened = await identityLogins.open(login);
  if ('reason' in opened) throw new SignInError(opened.reason, `subject ${subject}: ${opened.why}`);
  const { remoteAddress } = exchange.request;
  if (authenticate(opened.key)?.allowsAddress?.(remoteAddress) === false) {
    await logins.end(opened.name);
    const why = `"${opened.owner}" is not allowed from the address ${remoteAddress || '(unknown)'}`;
    throw new SignInError('NotAllowed', `subject ${subject}: ${why}`);
  }
  exchange.identity = { user: opened.user, accessKey: opened.name, system: false, signal: exchange.signal };
  exchange.decision = { allowed: true, reason: `${methodOf(connector)}, subject ${subject}` };
  return opened;
}

function methodOf({ settings }: OidcConnector): string {
  return `login with the connector "${settings.name}"`;
}

/**
 * Returns the status of the failure for the audit log and for metrics. The browser gets a redirect instead of this
 * status.
 */
function statusOf({ problem, message }: SignInError): StatusError {
  if (problem === 'ProviderUnavailable') return serviceUnavailable('the identity provider is not available');
  return problem === 'Refused' ? unauthorized() : forbiddenPath(message);
}
