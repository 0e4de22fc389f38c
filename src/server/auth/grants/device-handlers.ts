import { randomBytes } from 'node:crypto';
import { deviceGrantType, devicePage, formatUserCode, isClientName } from '../../../api/auth/cli-login.ts';
import { badRequest, methodNotAllowedOnPath, tooManyRequests } from '../../../api/status.ts';
import { sourceNetworkOf } from '../../../auth/login-backoff.ts';
import type { Handler } from '../../../http/exchange.ts';
import { originOf } from '../../../http/session/same-origin.ts';
import type { Sealer } from '../../../seal/sealer.ts';
import { jsonReply } from '../login-body.ts';
import { readDistinctForm } from '../oauth/form-body.ts';
import { OAuthError, withOAuthErrors } from '../oauth/oauth-error.ts';
import { type DeviceGrant, deviceTtlSeconds } from './device-grant.ts';
import type { GrantRows } from './grant-rows.ts';
import { findWithGuessLimit, type GuessLimitOptions } from './guess-limit.ts';
import { PollIntervals } from './poll-intervals.ts';
import { type RedeemOptions, redeemGrant } from './redeem-grant.ts';

export interface DeviceOptions extends RedeemOptions, GuessLimitOptions {
  readonly grants: GrantRows<DeviceGrant>;
  readonly sealer: Pick<Sealer, 'hash'>;
  /** The origin at which browsers reach this server; `undefined` if it is the origin of the request. */
  readonly externalUrl: string | undefined;
}

/** The time between two polls of one command line, in seconds. */
const pollSeconds = 5;

/**
 * Handles POST `/auth/device/code`: starts a login (RFC 8628, section 3.1). `client_id` is the name of the host on
 * which the command line runs.
 */
export function deviceCodeHandler(options: DeviceOptions): Handler {
  const { grants, clock, externalUrl } = options;
  const answer: Handler = async (exchange) => {
    const { method, remoteAddress, headers } = exchange.request;
    if (method !== 'POST') throw methodNotAllowedOnPath();
    const client = (await readDistinctForm(exchange)).get('client_id') ?? '';
    if (!isClientName(client)) throw new OAuthError('invalid_request', 'client_id must be the name of the host');
    const origin = externalUrl ?? originOf(headers.host);
    if (origin === undefined) throw badRequest('the Host header is invalid');
    const secret = randomBytes(32).toString('base64url');
    const requestedAt = clock.now();
    const grant = await grants.create(sourceNetworkOf(remoteAddress), {
      ...{ login: '', owner: '', client, state: 'Pending', address: remoteAddress, requestedAt },
      secretHash: secretHash(options, secret),
      expiresAt: requestedAt + deviceTtlSeconds * 1000,
    });
    if (grant === undefined) throw tooManyRequests('Too many pending logins, please try again later.', 60);
    const page = `${origin}${devicePage}`;
    const shown = formatUserCode(grant.code);
    return jsonReply(200, {
      device_code: `${grant.code}.${secret}`,
      user_code: shown,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${shown}`,
      expires_in: deviceTtlSeconds,
      interval: pollSeconds,
    });
  };
  return (exchange) => withOAuthErrors(() => answer(exchange));
}

/** POST `/auth/device/token`: polls for the decision of the user, and returns the access key (RFC 8628, section 3.4). */
export function deviceTokenHandler(options: DeviceOptions): Handler {
  const { grants, backoff, clock } = options;
  const intervals = new PollIntervals(clock, pollSeconds * 1000);
  const answer: Handler = async (exchange) => {
    const { method, remoteAddress: source } = exchange.request;
    if (method !== 'POST') throw methodNotAllowedOnPath();
    const form = await readDistinctForm(exchange);
    if (form.get('grant_type') !== deviceGrantType)
      throw new OAuthError('unsupported_grant_type', `grant_type must be ${deviceGrantType}`);
    const deviceCode = form.get('device_code') ?? '';
    const [code = '', secret = ''] = deviceCode.split('.', 2);
    const isOwn = (grant: DeviceGrant) => grant.secretHash === secretHash(options, secret);
    const found = await findWithGuessLimit({ backoff }, { account: `device code ${deviceCode}`, source }, async () => {
      const grant = await grants.read(code);
      return grant !== undefined && isOwn(grant) ? grant : undefined;
    });
    if (found === undefined) throw expiredCode();
    if (intervals.isTooEarly(deviceCode))
      throw new OAuthError('slow_down', `wait ${pollSeconds} seconds between polls`);
    if (found.state === 'Pending') throw new OAuthError('authorization_pending', 'the user has not decided yet');
    const taken = await grants.take(code, isOwn);
    if (taken === undefined) throw expiredCode();
    if (taken.state !== 'Allowed') throw new OAuthError('access_denied', 'the user denied the login');
    return await redeemGrant(exchange, taken, options);
  };
  return (exchange) => withOAuthErrors(() => answer(exchange));
}

function expiredCode(): OAuthError {
  return new OAuthError('expired_token', 'the code has expired or was used; start the login again');
}

function secretHash({ sealer }: Pick<DeviceOptions, 'sealer'>, secret: string): string {
  return sealer.hash('device grant secret', secret);
}
