import { textAt } from '@flotilla/json';
import { timestamp } from '../../../api/meta.ts';
import { forbiddenPath, methodNotAllowedOnPath, StatusError } from '../../../api/status.ts';
import type { Handler } from '../../../http/exchange.ts';
import { callerOf } from '../../../http/session/caller.ts';
import type { Clock } from '../../../lib/clock.ts';
import { jsonReply, readJson } from '../login-body.ts';
import type { LoginRenewals } from './login-renewals.ts';

export interface RenewalOptions {
  readonly renewals: Pick<LoginRenewals, 'renew'>;
  readonly clock: Clock;
}

/**
 * Handles POST `/auth/cli/renew`: renews the login that sent the request. The body contains the new value of the login.
 * The client has saved this value before the request, so that a lost response does not end the login.
 */
export function renewalHandler({ renewals, clock }: RenewalOptions): Handler {
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    const { accessKey = '', impersonatedBy } = callerOf(exchange);
    const { credential } = exchange;
    if (credential?.isBearer !== true || impersonatedBy !== undefined)
      throw forbiddenPath('only the command line that has a login can renew it');
    const to = textAt(await readJson(exchange), 'accessKey');
    try {
      const renewed = await renewals.renew(accessKey, { from: credential.token, to });
      const { expiresAt, isRenewable, confirmation } = renewed;
      exchange.decision = { allowed: true, reason: `login renewed until ${timestamp(expiresAt)}: ${confirmation}` };
      return jsonReply(200, { expires_in: Math.floor((expiresAt - clock.now()) / 1000), renewable: isRenewable });
    } catch (error) {
      if (error instanceof StatusError) exchange.decision = { allowed: false, reason: error.message };
      throw error;
    }
  };
}
