import { tooManyRequests, unauthorized } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { LoginBackoff } from '../auth/login-backoff.ts';
import type { EnteredLogin, PasswordAttempt, RefusedEntry } from '../auth/password-login.ts';
import type { Exchange, Filter, Reply } from '../http/exchange.ts';
import type { Logins, OpenedLogin } from './logins.ts';

export interface SignInOptions {
  readonly logins: Pick<Logins, 'open' | 'openWith'>;
  enter(attempt: PasswordAttempt): Promise<EnteredLogin | RefusedEntry>;
  readonly backoff: LoginBackoff;
  /** Whose access key that is; undefined: nobody's, or one that opens nothing now. */
  authenticate(key: string): Identity | undefined;
}

/** How a login that was opened is told. */
type Tell = (login: OpenedLogin) => Reply;

/**
 * The ways to a login. Whatever is wrong with what somebody shows is the same 401; what it was stands in the audit log
 * alone. Who is only told to wait leaves no line there, as everywhere: nobody can fill the log without end.
 */
export interface SignIn {
  withPassword(exchange: Exchange, shown: { username: string; password: string }, tell: Tell): Promise<Reply>;
  withKey(exchange: Exchange, key: string, tell: Tell): Promise<Reply>;
}

export function createSignIn({ logins, enter, backoff, authenticate }: SignInOptions, audited: Filter): SignIn {
  async function passwordLogin(exchange: Exchange, entered: EnteredLogin): Promise<OpenedLogin> {
    const outcome = await entered.check();
    const { account } = outcome;
    if (account === undefined) throw refused(exchange, byPassword, outcome.why, outcome.user);
    const login = await logins.open(account);
    if (login === undefined) throw refused(exchange, byPassword, 'the account was changed meanwhile', account.user);
    return login;
  }

  async function keyLogin(exchange: Exchange, key: string): Promise<OpenedLogin> {
    const { accessKey, user } = authenticate(key) ?? {};
    if (accessKey === undefined) throw refused(exchange, byKey, 'it opens nothing');
    const login = await logins.openWith(accessKey);
    if ('why' in login) throw refused(exchange, `${byKey}, "${accessKey}"`, login.why, user?.name);
    return login;
  }

  return {
    async withPassword(exchange, shown, tell) {
      const { remoteAddress: source } = exchange.request;
      const entered = await enter({ ...shown, source, signal: exchange.signal });
      if ('why' in entered) throw tooManyRequests(`${entered.why}, please try again later.`, entered.retryAfterSeconds);
      try {
        return await audited(exchange, async () =>
          told(exchange, await passwordLogin(exchange, entered), byPassword, tell),
        );
      } finally {
        entered.leave();
      }
    },

    async withKey(exchange, key, tell) {
      const { remoteAddress: source } = exchange.request;
      // What is counted is what was typed, so that nobody can be kept out by the mistakes of others.
      const admitted = backoff.admit({ account: `access key ${key}`, source });
      if (typeof admitted === 'number') {
        throw tooManyRequests('Too many failed logins, please try again later.', Math.ceil(admitted / 1000));
      }
      let isLookedAt = false;
      try {
        return await audited(exchange, async () => {
          isLookedAt = true;
          const login = await keyLogin(exchange, key);
          admitted.succeeded();
          return told(exchange, login, byKey, tell);
        });
      } finally {
        if (!isLookedAt) admitted.givenUp();
      }
    },
  };
}

const byPassword = 'login with a password';
const byKey = 'login with an access key';

function told(exchange: Exchange, login: OpenedLogin, how: string, tell: Tell): Reply {
  exchange.identity = { user: login.user, accessKey: login.name, system: false, signal: exchange.signal };
  exchange.decision = { allowed: true, reason: how };
  return tell(login);
}

function refused(exchange: Exchange, how: string, why: string, user?: string): Error {
  const who = user === undefined ? '' : ` of "${user}"`;
  exchange.decision = { allowed: false, reason: `${how}${who}: ${why}` };
  return unauthorized();
}
