import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditRule } from '../audit/audit-policy.ts';
import type { Identity } from '../auth/identity.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { chain, type Exchange, type Filter, type Handler } from './exchange.ts';
import { type AuditOptions, audit, auditFailedAuthentication } from './filters/audit.ts';
import { authenticate } from './filters/authenticate.ts';
import { type AuthorizeOptions, authorize } from './filters/authorize.ts';
import { type DeadlineOptions, deadline } from './filters/deadline.ts';
import { finalizeReply } from './filters/finalize-reply.ts';
import { impersonate } from './filters/impersonate.ts';
import { requestInfo } from './filters/request-info.ts';
import type { Reply } from './reply.ts';
import type { BrowserSessions } from './session/browser-session.ts';

export interface NamedFilter {
  readonly name: string;
  readonly filter: Filter;
}

/** Options of every filter chain. */
export interface ChainOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Segments of the path that belong to the mount: 2 for `/kubernetes/management`. */
  readonly depth: number;
  readonly timeouts?: Omit<DeadlineOptions, 'clock'>;
  /** Adds headers to every response. Optional. */
  addHeaders?(reply: Reply): void;
  /** Called once for each response, for metrics. Must be fast and must not throw. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

export interface AuthenticatedChainOptions extends ChainOptions {
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
  /** Optional; without it, cookies are not accepted as credentials. */
  readonly sessions?: BrowserSessions | undefined;
  readonly auditLog: AuditLog;
  readonly auditRules?: readonly AuditRule[];
  readonly whenAuditUnwritable?: AuditOptions['whenUnwritable'];
  /** The filter from `sourceLimit(…)`. All chains share one, so that a source address is counted across all paths. */
  readonly sourceLimit: Filter;
  /** The filter from `keyRate(…)`. All chains share one, so that an access key is counted across all paths. */
  readonly keyRate: Filter;
  /** The filter from `changeInFlight(…)`. All chains share one. */
  readonly inFlight: Filter;
  /** Authorizes against the plane behind the chain. Optional; defaults to allowing every authenticated caller. */
  readonly authorize?: AuthorizeOptions['authorize'];
}

/**
 * Outermost first. The filter that turns errors into responses also adds the common headers, so that error responses
 * carry them too (kube-apiserver sets its audit ID there as well, rule REQ-29). Filters further in may throw.
 */
function openFilters(options: ChainOptions): NamedFilter[] {
  const { depth, clock } = options;
  return [
    { name: 'finalize-reply', filter: finalizeReply(options) },
    { name: 'request-info', filter: requestInfo({ depth }) },
    { name: 'deadline', filter: deadline({ clock, ...options.timeouts }) },
  ];
}

/** The filters in front of a control plane. 401 takes precedence over 429, 403, and 404 or 405 (rule REQ-29). */
export function authenticatedFilters(options: AuthenticatedChainOptions): NamedFilter[] {
  const auditOptions: AuditOptions = {
    auditLog: options.auditLog,
    clock: options.clock,
    log: options.log,
    ...(options.auditRules === undefined ? {} : { rules: options.auditRules }),
    ...(options.whenAuditUnwritable === undefined ? {} : { whenUnwritable: options.whenAuditUnwritable }),
  };
  const { sessions } = options;
  const onFailure = auditFailedAuthentication(auditOptions);
  const decide = options.authorize ?? (() => ({ allowed: true, reason: '' }));
  // Without an authorizer, impersonation is denied.
  const decideImpersonation = options.authorize ?? (() => ({ allowed: false, reason: '' }));
  return [
    ...openFilters(options),
    { name: 'source-limit', filter: options.sourceLimit },
    { name: 'authenticate', filter: authenticate({ authenticate: options.authenticate, sessions, onFailure }) },
    { name: 'audit', filter: audit(auditOptions) },
    { name: 'impersonate', filter: impersonate({ authorize: decideImpersonation }) },
    { name: 'key-rate', filter: options.keyRate },
    { name: 'in-flight', filter: options.inFlight },
    { name: 'authorize', filter: authorize({ authorize: decide }) },
  ];
}

/** The filter chain for paths that require authentication. */
export function authenticatedChain(options: AuthenticatedChainOptions, handler: Handler): Handler {
  return chain(
    authenticatedFilters(options).map(({ filter }) => filter),
    handler,
  );
}

/** The filter chain for public paths: health and version of the process. */
export function publicChain(options: ChainOptions, handler: Handler): Handler {
  return chain(
    openFilters(options).map(({ filter }) => filter),
    handler,
  );
}
