import type { Exchange, Filter } from '../../../http/exchange.ts';
import { type Freshness, findConfirmed } from '../../../http/freshness.ts';
import type { Reply } from '../../../http/reply.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logins } from '../logins.ts';
import { invalidGrant } from '../oauth/oauth-error.ts';
import type { LoginRenewals } from './login-renewals.ts';
import { tokenReply } from './token-reply.ts';

/** The permission that a user gives a client to log in as this user. */
export interface LoginGrant {
  /** The name of the login with which the user gave this permission. */
  readonly login: string;
  readonly owner: string;
  readonly client: string;
}

export interface RedeemOptions {
  readonly logins: Pick<Logins, 'describe' | 'openBeside'>;
  readonly renewals: Pick<LoginRenewals, 'isRenewable'>;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly audited: Filter;
  readonly clock: Clock;
}

/**
 * Opens a login for a grant that was taken from the store. The audit event names the owner of the login and the client.
 */
export async function redeemGrant(exchange: Exchange, grant: LoginGrant, options: RedeemOptions): Promise<Reply> {
  const { logins, renewals, freshness, audited, clock } = options;
  const method = `login of the command line on "${grant.client}", which "${grant.owner}" allowed with "${grant.login}"`;
  return await audited(exchange, async () => {
    await freshness?.requireCurrent();
    const first = await findConfirmed(freshness, () => logins.describe(grant.login));
    const opened =
      first === undefined
        ? { why: 'the login has ended' }
        : await logins.openBeside(grant.login, `Login of the command line on ${grant.client}`);
    if ('why' in opened) return refuseGrant(exchange, `${method}: ${opened.why}`);
    exchange.identity = { user: opened.user, accessKey: opened.name, system: false, signal: exchange.signal };
    exchange.decision = { allowed: true, reason: method };
    return tokenReply(opened, { now: clock.now(), isRenewable: renewals.isRenewable(opened.name) });
  });
}

/** Refuses a grant. Only the audit log contains the reason. */
export function refuseGrant(exchange: Exchange, reason: string): Reply {
  exchange.decision = { allowed: false, reason };
  return invalidGrant('the code is invalid, was used before, or its login has ended; log in again').reply();
}
