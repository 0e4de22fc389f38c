import { methodNotAllowedOnPath } from '../../../api/status.ts';
import type { LoginBackoff } from '../../../auth/login-backoff.ts';
import { ProviderError } from '../../../auth/oidc/connector.ts';
import { type ClaimRule, matchClaims } from '../../../auth/workload/claim-rules.ts';
import {
  type TrustedIssuer,
  verifyWorkloadToken,
  type WorkloadToken,
} from '../../../auth/workload/verify-workload-token.ts';
import type { WorkloadRule } from '../../../auth/workload/workload-issuer.ts';
import type { Exchange, Filter, Handler } from '../../../http/exchange.ts';
import type { Freshness } from '../../../http/freshness.ts';
import type { Reply } from '../../../http/reply.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { jsonReply } from '../login-body.ts';
import { invalidGrant, OAuthError, withOAuthErrors } from '../oauth/oauth-error.ts';
import { accessTokenType, readTokenRequest, type TokenRequest } from './token-request.ts';
import type { IssuedKey, WorkloadKeys } from './workload-keys.ts';

/** An issuer with its keys and its compiled rules. */
export interface WorkloadIssuerRules extends TrustedIssuer {
  rules(): Promise<readonly ClaimRule[]>;
}

export interface TokenHandlerOptions {
  /** The issuers, by the value of the claim `iss`. */
  readonly issuers: ReadonlyMap<string, WorkloadIssuerRules>;
  readonly keys: Pick<WorkloadKeys, 'issue'>;
  readonly backoff: LoginBackoff;
  /**
   * Waits for a slot in which a token can be verified. Returns a function that frees the slot; `undefined` if too many
   * requests wait.
   */
  acquireSlot(source: string, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  /** The external URL of this server. A client can name it as the target of the access token. */
  readonly externalUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const method = 'token exchange of a workload';
/** Maximum number of claim names in an error text. An unsuitable token can contain thousands of claims. */
const maxNamedClaims = 50;

/**
 * Handles POST `/auth/token`: exchanges a token of a trusted issuer for an access key (RFC 8693). The response to a
 * failed exchange names the check that failed. Only the audit log names the rules. A rate-limited request is not
 * audited, so that anonymous callers cannot fill the log.
 */
export function tokenHandler(options: TokenHandlerOptions, audited: Filter): Handler {
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    return await withOAuthErrors(() => exchangeToken(exchange, options, audited));
  };
}

async function exchangeToken(exchange: Exchange, options: TokenHandlerOptions, audited: Filter): Promise<Reply> {
  const { backoff } = options;
  const { remoteAddress: source } = exchange.request;
  const request = await readTokenRequest(exchange).catch((error: unknown) => {
    const wait = error instanceof OAuthError ? backoff.countMalformed(source) : 0;
    throw wait === 0 ? error : tooMany(Math.ceil(wait / 1000));
  });
  // Counts failures per token, so that a job with a wrong token does not block other jobs behind the same address.
  const admitted = backoff.admit({ account: `workload token ${request.token}`, source });
  if (typeof admitted === 'number') throw tooMany(Math.ceil(admitted / 1000));
  let isDecided = false;
  try {
    const release = await options.acquireSlot(source, exchange.signal);
    if (release === undefined) throw tooMany(1);
    try {
      return await audited(exchange, async () => {
        try {
          const { key, rule } = await issueKey(exchange, request, options);
          isDecided = true;
          admitted.succeed();
          exchange.identity = { user: key.user, accessKey: key.name, system: false, signal: exchange.signal };
          return tokenReply(key, rule);
        } catch (error) {
          if (!(error instanceof OAuthError)) throw error;
          isDecided = error.code !== 'temporarily_unavailable';
          return error.reply();
        }
      });
    } finally {
      release();
    }
  } finally {
    if (!isDecided) admitted.abandon();
  }
}

async function issueKey(
  exchange: Exchange,
  request: TokenRequest,
  options: TokenHandlerOptions,
): Promise<{ readonly key: IssuedKey; readonly rule: WorkloadRule }> {
  const { issuers, freshness, keys } = options;
  const verified = await verify(exchange, request, options);
  const { issuer, subject } = verified;
  const who = `${issuer.name}, subject ${JSON.stringify(subject.slice(0, 256))}`;
  const targets = new Set([...issuer.audiences, ...(options.externalUrl === undefined ? [] : [options.externalUrl])]);
  if (!request.targets.every((target) => targets.has(target)))
    throw refused(exchange, who, new OAuthError('invalid_target', 'this server issues access tokens only for itself'));
  const rules = (await issuers.get(issuer.issuer)?.rules()) ?? [];
  const wanted = request.rule === undefined ? rules : rules.filter(({ rule }) => rule.name === request.rule);
  const { rule, misses } = matchClaims(wanted, verified.claims);
  if (rule === undefined) {
    const why = `no rule matches (${misses.join('; ').slice(0, 2_000) || 'the client asked for an unknown rule'})`;
    throw refused(exchange, who, noRule(verified, request), why);
  }
  await freshness?.requireCurrent();
  const { remoteAddress } = exchange.request;
  const key = await keys.issue({ verified, token: request.token, rule, remoteAddress });
  if ('why' in key) {
    const error = invalidGrant(`the rule that matches gives no access now: ${key.why}`);
    throw refused(exchange, `${who}, rule ${rule.name}`, error);
  }
  exchange.decision = { allowed: true, reason: `${method}: ${who}, rule ${rule.name}` };
  return { key, rule };
}

async function verify(
  exchange: Exchange,
  { token }: TokenRequest,
  { issuers, clock, log }: TokenHandlerOptions,
): Promise<WorkloadToken> {
  try {
    const verified = await verifyWorkloadToken(token, issuers, clock.now());
    if ('failed' in verified) throw refused(exchange, undefined, invalidGrant(verified.failed));
    return verified;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.warn({ error: error.message }, 'cannot load the keys of a workload issuer');
    const text = 'the keys of the issuer cannot be loaded; try again later';
    const options = { status: 503, headers: { 'retry-after': '30' } } as const;
    throw refused(exchange, undefined, new OAuthError('temporarily_unavailable', text, options), error.message);
  }
}

/**
 * Returns an error that lists the names of the claims, so that an administrator can correct a rule. The sender can read
 * these names in its own token anyway. The error does not show the rules, because the sender must not see them.
 */
function noRule({ issuer, claims }: WorkloadToken, { rule }: TokenRequest): OAuthError {
  const names = Object.keys(claims).sort();
  const more = names.length > maxNamedClaims ? `, and ${names.length - maxNamedClaims} more` : '';
  const shown = names.slice(0, maxNamedClaims).map((name) => name.slice(0, 64));
  const which = rule === undefined ? 'no rule' : 'no rule with the requested name (scope)';
  return new OAuthError(
    rule === undefined ? 'invalid_grant' : 'invalid_scope',
    `${which} of the issuer ${issuer.name} matches the token, which has the claims ${shown.join(', ')}${more}`,
  );
}

function tokenReply({ key, ttl }: IssuedKey, rule: WorkloadRule): Reply {
  return jsonReply(200, {
    access_token: key,
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: ttl,
    scope: rule.name,
  });
}

function tooMany(retryAfterSeconds: number): OAuthError {
  const text = 'too many requests, or too many failed ones; try again later';
  return new OAuthError('temporarily_unavailable', text, {
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Records the reason of a refusal for the audit log. Returns the error for the client. */
function refused(exchange: Exchange, who: string | undefined, error: OAuthError, why = error.message): OAuthError {
  exchange.decision = { allowed: false, reason: `${method}${who === undefined ? '' : ` of ${who}`}: ${why}` };
  return error;
}
