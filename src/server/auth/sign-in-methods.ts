import type { SignInMethods } from '../../api/sign-in.ts';
import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Handler } from '../../http/exchange.ts';
import { jsonReply } from './login-body.ts';

/** GET `/auth/methods`: returns the ways to sign in. Everybody may read them; a sign-in page shows them. */
export function signInMethodsHandler(methods: SignInMethods): Handler {
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowedOnPath();
    return jsonReply(200, methods);
  };
}
