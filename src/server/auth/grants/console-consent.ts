import { forbiddenPath, methodNotAllowedOnPath } from '../../../api/status.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { callerOf } from '../../../http/session/caller.ts';
import type { Logins } from '../logins.ts';

/** The user who allows or denies a login in the console. */
export interface Consenter {
  readonly login: string;
  readonly owner: string;
}

/**
 * Returns the user of a request from the console. Only a session cookie is accepted as the credential, because the
 * authenticate filter has checked that a page of the console sent it. A program with an access key must not be able to
 * allow further logins.
 */
export function consenterOf(exchange: Exchange, logins: Pick<Logins, 'describe'>): Consenter {
  if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
  const { accessKey = '', impersonatedBy } = callerOf(exchange);
  const login = logins.describe(accessKey);
  if (exchange.credential?.isBearer !== false || login === undefined || impersonatedBy !== undefined)
    throw forbiddenPath('only a user who is signed in to the console can allow a login of the command line');
  return { login: accessKey, owner: login.owner };
}
