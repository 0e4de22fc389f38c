import { type JsonValue, textAt, valueAt } from '@flotilla/json';
import { type DeviceRequest, normalizeUserCode } from '../../../api/auth/cli-login.ts';
import { timestamp } from '../../../api/meta.ts';
import { badRequest } from '../../../api/status.ts';
import type { Exchange, Handler } from '../../../http/exchange.ts';
import { jsonReply, readJson } from '../login-body.ts';
import type { Logins } from '../logins.ts';
import { type Consenter, consenterOf } from './console-consent.ts';
import type { DeviceGrant } from './device-grant.ts';
import type { GrantRows } from './grant-rows.ts';
import { findWithGuessLimit, type GuessLimitOptions } from './guess-limit.ts';

export interface DeviceConsentOptions extends GuessLimitOptions {
  readonly grants: GrantRows<DeviceGrant>;
  readonly logins: Pick<Logins, 'describe'>;
}

/**
 * Handles POST `/auth/device/request`: describes the login that belongs to a code, so that the user can recognize it.
 */
export function deviceRequestHandler(options: DeviceConsentOptions): Handler {
  return async (exchange) => {
    const consenter = consenterOf(exchange, options.logins);
    const code = readCode(await readJson(exchange));
    const found = await findPending(exchange, consenter, options, async () => {
      const grant = await options.grants.read(code);
      return grant?.state === 'Pending' ? grant : undefined;
    });
    const { client, address, requestedAt, expiresAt } = found;
    const described: DeviceRequest = {
      client,
      address,
      requested: timestamp(requestedAt),
      expires: timestamp(expiresAt),
    };
    return jsonReply(200, described);
  };
}

/**
 * Handles POST `/auth/device/decision`: the user allows or denies the login that belongs to a code. Only the first
 * decision counts.
 */
export function deviceDecisionHandler(options: DeviceConsentOptions): Handler {
  return async (exchange) => {
    const consenter = consenterOf(exchange, options.logins);
    const body = await readJson(exchange);
    const code = readCode(body);
    const allow = valueAt(body, 'allow');
    if (typeof allow !== 'boolean') throw badRequest('the body must have the member "allow" (true or false)');
    const state = allow ? 'Allowed' : 'Denied';
    const { client, address } = await findPending(exchange, consenter, options, () =>
      options.grants.update(code, (grant) =>
        grant.state === 'Pending' ? { ...grant, ...consenter, state } : undefined,
      ),
    );
    exchange.decision = {
      allowed: true,
      reason: `${allow ? 'allows' : 'denies'} a login of the command line on "${client}" at ${address}`,
    };
    return jsonReply(200, { client, state });
  };
}

/**
 * Finds the pending login that belongs to a code. An unknown code counts as a failed login of the session and of the
 * address of the caller.
 */
async function findPending(
  exchange: Exchange,
  { login }: Consenter,
  limits: GuessLimitOptions,
  find: () => Promise<DeviceGrant | undefined>,
): Promise<DeviceGrant> {
  const { remoteAddress: source } = exchange.request;
  const found = await findWithGuessLimit(limits, { account: `device codes of ${login}`, source }, find);
  if (found !== undefined) return found;
  throw badRequest('the code is unknown, has expired, or was used; check it, or start the login again');
}

function readCode(body: JsonValue | undefined): string {
  const code = normalizeUserCode(textAt(body, 'userCode'));
  if (code === '') throw badRequest('the body must have the string "userCode"');
  return code;
}
