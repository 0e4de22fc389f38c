import { createHash, timingSafeEqual } from 'node:crypto';
import { type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import {
  isClientName,
  isCodeChallenge,
  isLoopbackPort,
  isRandomText,
  loopbackRedirect,
} from '../../../api/auth/cli-login.ts';
import { badRequest, methodNotAllowedOnPath, tooManyRequests } from '../../../api/status.ts';
import type { Handler } from '../../../http/exchange.ts';
import { jsonReply, readJson } from '../login-body.ts';
import { readDistinctForm } from '../oauth/form-body.ts';
import { OAuthError, withOAuthErrors } from '../oauth/oauth-error.ts';
import { consenterOf } from './console-consent.ts';
import type { GrantRows } from './grant-rows.ts';
import { findWithGuessLimit, type GuessLimitOptions } from './guess-limit.ts';
import { type LoginGrant, type RedeemOptions, redeemGrant, refuseGrant } from './redeem-grant.ts';

/**
 * A login of the command line that a user has allowed. The command line gets the code of this grant through a redirect
 * to a loopback port.
 */
export interface CliGrant extends LoginGrant {
  readonly challenge: string;
  readonly port: number;
}

export const cliGrantLimits = { table: 'cli', ttlSeconds: 60, maxPerSource: 10, maxTotal: 6_400 } as const;

export function parseCliGrant(value: JsonValue): CliGrant {
  const text = (name: string) => textAt(value, name);
  return {
    login: text('login'),
    owner: text('owner'),
    client: text('client'),
    challenge: text('challenge'),
    port: numberAt(value, 'port') ?? 0,
  };
}

export interface CliGrantOptions extends RedeemOptions, GuessLimitOptions {
  readonly grants: GrantRows<CliGrant>;
}

/**
 * Handles POST `/auth/cli/grants`: the user allows or denies a login of the command line. Returns the URL that the page
 * opens next.
 */
export function cliConsentHandler({ grants, logins }: Pick<CliGrantOptions, 'grants' | 'logins'>): Handler {
  return async (exchange) => {
    const { login, owner } = consenterOf(exchange, logins);
    const { client, challenge, state, port, allow } = readConsent(await readJson(exchange));
    const redirect = new URL(loopbackRedirect(port));
    exchange.decision = {
      allowed: true,
      reason: `${allow ? 'allows' : 'denies'} a login of the command line on "${client}"`,
    };
    if (allow) {
      const grant = await grants.create(owner, { login, owner, client, challenge, port });
      if (grant === undefined) throw tooManyRequests('Too many logins of the command line at the same time.', 60);
      redirect.searchParams.set('code', grant.code);
    } else redirect.searchParams.set('error', 'access_denied');
    redirect.searchParams.set('state', state);
    return jsonReply(201, { redirect: redirect.href });
  };
}

function readConsent(body: JsonValue | undefined) {
  const [client, challenge, state] = [textAt(body, 'client'), textAt(body, 'challenge'), textAt(body, 'state')];
  const port = numberAt(body, 'port') ?? 0;
  const allow = valueAt(body, 'allow');
  const isValid = isClientName(client) && isCodeChallenge(challenge) && isRandomText(state) && isLoopbackPort(port);
  if (!isValid || typeof allow !== 'boolean')
    throw badRequest(
      'the body must have "client" (a host name), "challenge" (a SHA-256 in base64url), "state" (22 to 128 characters of base64url), "port" (1024 to 65535) and "allow" (true or false)',
    );
  return { client, challenge, state, port, allow };
}

/**
 * POST `/auth/cli/token`: exchanges a code for an access key (RFC 6749, section 4.1.3, with PKCE). A code can be sent
 * only once, even if the verifier is wrong.
 */
export function cliTokenHandler(options: CliGrantOptions): Handler {
  const { grants, backoff, audited } = options;
  const answer: Handler = async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    const form = await readDistinctForm(exchange);
    if (form.get('grant_type') !== 'authorization_code')
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code');
    const [code, verifier, redirect] = ['code', 'code_verifier', 'redirect_uri'].map((name) => form.get(name));
    if (!code || !verifier || !redirect)
      throw new OAuthError('invalid_request', 'code, code_verifier and redirect_uri are required');
    const { remoteAddress: source } = exchange.request;
    const grant = await findWithGuessLimit({ backoff }, { account: `cli code ${code}`, source }, () =>
      grants.take(code),
    );
    // An unknown code is not audited, because anonymous requests can cause any number of them.
    if (grant === undefined) return refuseGrant(exchange, 'unknown code');
    if (!isVerifierOf(grant.challenge, verifier) || redirect !== loopbackRedirect(grant.port))
      return await audited(exchange, async () =>
        refuseGrant(
          exchange,
          `login of the command line on "${grant.client}" as "${grant.owner}": the code was sent without its verifier or redirect URI`,
        ),
      );
    return await redeemGrant(exchange, grant, options);
  };
  return (exchange) => withOAuthErrors(() => answer(exchange));
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const digest = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  return digest.length === expected.length && timingSafeEqual(digest, expected);
}
