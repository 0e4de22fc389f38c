import type { Reply } from '../../../http/reply.ts';
import { jsonReply } from '../login-body.ts';
import type { OpenedLogin } from '../logins.ts';

/**
 * The successful response of a token endpoint. It has additional members: `user` and `name` are the owner and the name
 * of the login, and `renewable` is true if the client can renew the login.
 */
export function tokenReply(
  { key, name, owner, expiresAt }: OpenedLogin,
  { now, isRenewable }: { readonly now: number; readonly isRenewable: boolean },
): Reply {
  const expires = Number.isFinite(expiresAt) ? { expires_in: Math.floor((expiresAt - now) / 1000) } : {};
  return jsonReply(200, {
    access_token: key,
    token_type: 'Bearer',
    ...expires,
    user: owner,
    name,
    renewable: isRenewable,
  });
}
