import { StatusError, tooManyRequests, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { LoginBackoff } from '../../auth/login-backoff.ts';
import type { AdmittedPasswordAttempt, PasswordAttempt, RejectedPasswordAttempt } from '../../auth/password-login.ts';
import type { Exchange, Filter } from '../../http/exchange.ts';
import { type Freshness, findConfirmed } from '../../http/freshness.ts';
import type { Reply } from '../../http/reply.ts';
import { requirePasswords } from './local/password-policy.ts';
import type { Logins, OpenedLogin } from './logins.ts';

export interface SignInOptions {
  readonly logins: Pick<Logins, 'open' | 'openWithKey'>;
  /** `enabled` is false if users may not log in with a password. */
  readonly password: { readonly enabled: boolean };
  enter(attempt: PasswordAttempt): Promise<AdmittedPasswordAttempt | RejectedPasswordAttempt>;
  readonly backoff: LoginBackoff;
  /** Returns the identity that an access key authenticates; `undefined` for an invalid key. */
  authenticate(key: string): Identity | undefined;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
}

/** A login that a request opened. `recoveryCodes` belong to a second factor that the request has set up. */
export type NewLogin = OpenedLogin & { readonly recoveryCodes?: readonly string[] };

/** Creates the response for an opened login. */
type LoginReply = (login: NewLogin) => Reply;

/**
 * Signs users in. All invalid credentials result in the same 401 response; only the audit log contains the reason.
 * Rate-limited attempts are not audited; otherwise anonymous callers could fill the log.
 */
export interface SignIn {
  withPassword(
    exchange: Exchange,
    shown: Pick<PasswordAttempt, 'username' | 'password' | 'code' | 'setup'>,
    createReply: LoginReply,
  ): Promise<Reply>;
  withKey(exchange: Exchange, key: string, createReply: LoginReply): Promise<Reply>;
  /**
   * Counts a request whose body contains no valid credentials as a failed login of its source. Returns the error for
   * the response: `error`, or 429 if the source has to wait.
   */
  rejectMalformed(exchange: Exchange, error: unknown): unknown;
}

export function createSignIn(options: SignInOptions, audited: Filter): SignIn {
  const { logins, password, enter, backoff, authenticate, freshness } = options;
  async function passwordLogin(exchange: Exchange, admittedLogin: AdmittedPasswordAttempt): Promise<NewLogin> {
    const outcome = await admittedLogin.check();
    const { account } = outcome;
    if (account === undefined) {
      const error = rejected(exchange, byPassword, outcome.why, outcome.user);
      throw outcome.response ?? error;
    }
    const login = await logins.open(account);
    if (login === undefined)
      throw rejected(exchange, byPassword, 'the account was changed during the login', account.user);
    const { recoveryCodes } = outcome;
    return recoveryCodes === undefined ? login : { ...login, recoveryCodes };
  }

  async function keyLogin(exchange: Exchange, key: string): Promise<OpenedLogin> {
    await freshness?.requireCurrent();
    const holder = await findConfirmed(freshness, () => authenticate(key));
    const { accessKey, user } = holder ?? {};
    if (accessKey === undefined) throw rejected(exchange, byKey, 'invalid key');
    const { remoteAddress } = exchange.request;
    if (holder?.allowsAddress?.(remoteAddress) === false)
      throw rejected(
        exchange,
        `${byKey}, "${accessKey}"`,
        `not allowed from the address ${remoteAddress || '(unknown)'}`,
        user?.name,
      );
    const login = await logins.openWithKey(accessKey);
    if ('why' in login) throw rejected(exchange, `${byKey}, "${accessKey}"`, login.why, user?.name);
    return login;
  }

  return {
    async withPassword(exchange, shown, createReply) {
      // This rejection is not audited, because anonymous requests can cause any number of them.
      requirePasswords(password);
      const { remoteAddress: source } = exchange.request;
      const admittedLogin = await enter({ ...shown, source, signal: exchange.signal });
      if ('why' in admittedLogin)
        throw tooManyRequests(`${admittedLogin.why}, please try again later.`, admittedLogin.retryAfterSeconds);
      try {
        return await audited(exchange, async () =>
          succeed(exchange, await passwordLogin(exchange, admittedLogin), byPassword, createReply),
        );
      } finally {
        admittedLogin.release();
      }
    },

    async withKey(exchange, key, createReply) {
      const { remoteAddress: source } = exchange.request;
      // Counts failures per presented key, so that the failures of one caller do not block other callers.
      const admitted = backoff.admit({ account: `access key ${key}`, source });
      if (typeof admitted === 'number') throw tooManyFailures(admitted);
      let isChecked = false;
      try {
        return await audited(exchange, async () => {
          isChecked = true;
          const login = await keyLogin(exchange, key);
          admitted.succeed();
          return succeed(exchange, login, byKey, createReply);
        });
      } finally {
        if (!isChecked) admitted.abandon();
      }
    },

    rejectMalformed({ request }, error) {
      if (!(error instanceof StatusError)) return error;
      const wait = backoff.countMalformed(request.remoteAddress);
      return wait === 0 ? error : tooManyFailures(wait);
    },
  };
}

function tooManyFailures(waitMilliseconds: number): Error {
  return tooManyRequests('Too many failed logins, please try again later.', Math.ceil(waitMilliseconds / 1000));
}

const byPassword = 'login with a password';
const byKey = 'login with an access key';

function succeed(exchange: Exchange, login: NewLogin, method: string, createReply: LoginReply): Reply {
  exchange.identity = { user: login.user, accessKey: login.name, system: false, signal: exchange.signal };
  exchange.decision = { allowed: true, reason: method };
  return createReply(login);
}

function rejected(exchange: Exchange, method: string, cause: string, user?: string): Error {
  const who = user === undefined ? '' : ` of "${user}"`;
  exchange.decision = { allowed: false, reason: `${method}${who}: ${cause}` };
  return unauthorized();
}
