import { timestamp } from '../api/meta.ts';
import { forbiddenPath, methodNotAllowedOnPath } from '../api/status.ts';
import { callerOf } from '../http/caller.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { jsonAnswer, readLogin, success } from './login-body.ts';
import type { Logins } from './logins.ts';
import type { SignIn } from './sign-in.ts';

/** POST `/auth/password/login`: an access key for whoever knows the name and the password. */
export function passwordLoginHandler(signIn: Pick<SignIn, 'withPassword'>): Handler {
  return async (exchange) => {
    posting(exchange);
    const shown = await readLogin(exchange, false);
    return await signIn.withPassword(exchange, shown, ({ key, name, owner, expiresAt }) =>
      jsonAnswer(201, { accessKey: key, name, user: owner, expires: timestamp(expiresAt) }),
    );
  };
}

/** POST `/auth/logout`: the login with whose key the request came is over, at once and everywhere. */
export function logoutHandler({ logins }: { readonly logins: Pick<Logins, 'end'> }): Handler {
  return async (exchange) => {
    posting(exchange);
    const { accessKey = '' } = callerOf(exchange);
    if (await logins.end(accessKey)) return jsonAnswer(200, success);
    throw forbiddenPath(`the access key "${accessKey}" did not come from a login; delete it, or disable it, instead`);
  };
}

function posting({ request }: Exchange): void {
  if (request.method !== 'POST') throw methodNotAllowedOnPath();
}
