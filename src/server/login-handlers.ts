import { timestamp } from '../api/meta.ts';
import { badRequest, forbiddenPath, methodNotAllowedOnPath, tooManyRequests, unauthorized } from '../api/status.ts';
import type { EnteredLogin, PasswordAttempt, RefusedEntry } from '../auth/password-login.ts';
import { bodyFormat } from '../http/body-format.ts';
import { callerOf } from '../http/caller.ts';
import type { Exchange, Filter, Handler, Reply } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import { parseJson } from '../lib/json-parse.ts';
import { textAt } from '../lib/json-path.ts';
import type { Logins } from './logins.ts';

/** A name and a password, whatever alphabet they are in. */
const mostBytes = 16 * 1024;

export interface LoginHandlersOptions {
  readonly logins: Pick<Logins, 'open' | 'end'>;
  enter(attempt: PasswordAttempt): Promise<EnteredLogin | RefusedEntry>;
}

/**
 * POST `/auth/password/login`: an access key for whoever knows the name and the password. Whatever is wrong with them
 * is the same 401; what it was stands in the audit log alone. Who is only told to wait leaves no line there, as
 * everywhere: nobody can fill the log without end.
 */
export function passwordLoginHandler({ logins, enter }: LoginHandlersOptions, audited: Filter): Handler {
  return async (exchange) => {
    posting(exchange);
    const { remoteAddress: source } = exchange.request;
    const entered = await enter({ ...(await sentLogin(exchange)), source, signal: exchange.signal });
    if ('why' in entered) throw tooManyRequests(`${entered.why}, please try again later.`, entered.retryAfterSeconds);
    try {
      return await audited(exchange, () => logIn(exchange, entered, logins));
    } finally {
      entered.leave();
    }
  };
}

async function logIn(exchange: Exchange, entered: EnteredLogin, logins: Pick<Logins, 'open'>): Promise<Reply> {
  const outcome = await entered.check();
  const { account } = outcome;
  if (account === undefined) throw refused(exchange, outcome.user, outcome.why);
  const login = await logins.open(account);
  if (login === undefined) throw refused(exchange, account.user, 'the account was changed meanwhile');
  exchange.identity = { user: login.user, accessKey: login.name, system: false, signal: exchange.signal };
  exchange.decision = { allowed: true, reason: 'login with a password' };
  const expires = timestamp(login.expiresAt);
  return answer(201, { accessKey: login.key, name: login.name, user: account.user, expires });
}

/** POST `/auth/logout`: the login with whose key the request came is over, at once and everywhere. */
export function logoutHandler({ logins }: Pick<LoginHandlersOptions, 'logins'>): Handler {
  return async (exchange) => {
    posting(exchange);
    const { accessKey = '' } = callerOf(exchange);
    if (await logins.end(accessKey))
      return answer(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
    throw forbiddenPath(`the access key "${accessKey}" did not come from a login; delete it, or disable it, instead`);
  };
}

function posting({ request }: Exchange): void {
  if (request.method !== 'POST') throw methodNotAllowedOnPath();
}

/** What was sent is never told again: people type passwords into all sorts of places. */
async function sentLogin(exchange: Exchange): Promise<{ username: string; password: string }> {
  bodyFormat(exchange.request.headers['content-type'], ['json']);
  const bytes = await readBody(exchange, mostBytes);
  let value: ReturnType<typeof parseJson>['value'] | undefined;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).value;
  } catch {
    value = undefined;
  }
  const [username, password] = [textAt(value, 'username'), textAt(value, 'password')];
  if (username === '' || password === '') {
    throw badRequest('the body must be a JSON object with the texts "username" and "password"');
  }
  return { username, password };
}

function refused(exchange: Exchange, user: string | undefined, why: string): Error {
  const who = user === undefined ? '' : ` of "${user}"`;
  exchange.decision = { allowed: false, reason: `login with a password${who}: ${why}` };
  return unauthorized();
}

function answer(status: number, body: object): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}
