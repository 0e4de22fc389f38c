import { timestamp } from '../../api/meta.ts';
import { forbiddenPath, methodNotAllowedOnPath } from '../../api/status.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { callerOf } from '../../http/session/caller.ts';
import { jsonReply, readLogin, successStatus } from './login-body.ts';
import type { Logins } from './logins.ts';
import type { SignIn } from './sign-in.ts';

/** POST `/auth/password/login`: returns an access key for a name and a password. */
export function passwordLoginHandler(signIn: Pick<SignIn, 'withPassword' | 'rejectMalformed'>): Handler {
  return async (exchange) => {
    requirePost(exchange);
    const credentials = await readLogin(exchange, false).catch((error: unknown) => {
      throw signIn.rejectMalformed(exchange, error);
    });
    return await signIn.withPassword(exchange, credentials, ({ key, name, owner, expiresAt, recoveryCodes }) =>
      jsonReply(201, { accessKey: key, name, user: owner, expires: timestamp(expiresAt), recoveryCodes }),
    );
  };
}

/**
 * Handles POST `/auth/logout`: ends the login whose access key sent the request. All requests of this login end at
 * once.
 */
export function logoutHandler({ logins }: { readonly logins: Pick<Logins, 'end'> }): Handler {
  return async (exchange) => {
    requirePost(exchange);
    const { accessKey = '' } = callerOf(exchange);
    if (await logins.end(accessKey)) return jsonReply(200, successStatus);
    throw forbiddenPath(`the access key "${accessKey}" does not belong to a login; delete or disable it instead`);
  };
}

function requirePost({ request }: Exchange): void {
  if (request.method !== 'POST') throw methodNotAllowedOnPath();
}
