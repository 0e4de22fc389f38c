import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditRule } from '../audit/audit-policy.ts';
import type { Identity } from '../auth/identity.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { composeFilters, type Exchange, type Filter, type Handler } from './exchange.ts';
import { type AuditOptions, auditFailedAuthentication, auditFilter } from './filters/audit.ts';
import { authenticate } from './filters/authenticate.ts';
import { type AuthorizeOptions, authorize } from './filters/authorize.ts';
import { type DeadlineOptions, deadlineFilter } from './filters/deadline.ts';
import { finalizeReply } from './filters/finalize-reply.ts';
import { impersonate } from './filters/impersonate.ts';
import { requestInfo } from './filters/request-info.ts';
import { type TraceOptions, traceFilter } from './filters/trace.ts';
import type { Freshness } from './freshness.ts';
import type { Reply } from './reply.ts';
import type { BrowserSessions } from './session/browser-session.ts';

export interface NamedFilter {
  readonly name: string;
  readonly filter: Filter;
}

/** The options of both filter chains: the public chain and the authenticated chain. */
export interface ChainOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Number of path segments of the mount, for example 2 for `/kubernetes/management`. These segments are not part of
   * the plane's own path.
   */
  readonly depth: number;
  readonly timeouts?: Omit<DeadlineOptions, 'clock'>;
  /** Maximum number of Warning headers of a response. Optional; defaults to `defaultWarningLimit`. */
  readonly warningLimit?: number;
  /** Adds headers to every response. Optional. */
  addHeaders?(reply: Reply): void;
  /** Called exactly once per response, for metrics. Must be fast and must not throw. Optional. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

export interface AuthenticatedChainOptions extends ChainOptions {
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
  /** The browser sessions. Optional; without them, session cookies are not accepted as credentials. */
  readonly sessions?: BrowserSessions | undefined;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness?: Freshness | undefined;
  /** Traces requests. Optional; without it, no request has a span. */
  readonly tracing?: Omit<TraceOptions, 'depth'> | undefined;
  readonly auditLog: AuditLog;
  readonly auditRules?: readonly AuditRule[];
  readonly whenAuditUnwritable?: AuditOptions['whenUnwritable'];
  /**
   * The filter from `sourceLimitFilter(…)`. All chains share one filter, so that an address is limited across all
   * paths.
   */
  readonly sourceLimit: Filter;
  /**
   * The filter from `keyRateFilter(…)`. All chains share one filter, so that an access key is limited across all paths.
   */
  readonly keyRate: Filter;
  /**
   * The filter from `watchLimitFilter(…)`. All chains share one filter, so that watches are counted across all paths.
   */
  readonly watchLimit: Filter;
  /**
   * The filter from `inFlightFilter(…)`. All chains share one filter, so that its limits apply to the whole process.
   */
  readonly inFlight: Filter;
  /** Decides whether the caller may send the request. Optional; by default, every authenticated caller may. */
  readonly authorize?: AuthorizeOptions['authorize'];
}

/**
 * Returns the filters that every chain begins with, outermost first. The first filter turns errors of all other filters
 * into responses. It also adds the common headers, such as the audit ID, so error responses contain them too, as in
 * kube-apiserver (rule REQ-29).
 */
function openFilters(options: ChainOptions): NamedFilter[] {
  const { depth, clock } = options;
  return [
    { name: 'finalize-reply', filter: finalizeReply(options) },
    { name: 'request-info', filter: requestInfo({ depth }) },
    { name: 'deadline', filter: deadlineFilter({ clock, ...options.timeouts }) },
  ];
}

/**
 * Returns the filters in front of a control plane, outermost first. Their order makes 401 take precedence over 429, 429
 * over 403, and 403 over 404 and 405 (rule REQ-29).
 */
export function authenticatedFilters(options: AuthenticatedChainOptions): NamedFilter[] {
  const auditOptions: AuditOptions = {
    auditLog: options.auditLog,
    clock: options.clock,
    log: options.log,
    ...(options.auditRules === undefined ? {} : { rules: options.auditRules }),
    ...(options.whenAuditUnwritable === undefined ? {} : { whenUnwritable: options.whenAuditUnwritable }),
  };
  const { sessions, clock, freshness } = options;
  const onFailure = auditFailedAuthentication(auditOptions);
  const decide = options.authorize ?? (() => ({ allowed: true, reason: '' }));
  // Only an authorizer can allow impersonation. Without an authorizer, impersonation is refused, because otherwise
  // every caller could impersonate.
  const decideImpersonation = options.authorize ?? (() => ({ allowed: false, reason: '' }));
  return [
    ...openFilters(options),
    { name: 'source-limit', filter: options.sourceLimit },
    {
      name: 'authenticate',
      filter: authenticate({ clock, authenticate: options.authenticate, sessions, freshness, onFailure }),
    },
    { name: 'audit', filter: auditFilter(auditOptions) },
    ...tracingFilters(options),
    // These limits apply to the credential that the client sent, so they come before impersonation.
    { name: 'key-rate', filter: options.keyRate },
    { name: 'watch-limit', filter: options.watchLimit },
    { name: 'impersonate', filter: impersonate({ authorize: decideImpersonation }) },
    { name: 'in-flight', filter: options.inFlight },
    { name: 'authorize', filter: authorize({ authorize: decide }) },
  ];
}

function tracingFilters({ tracing, depth }: AuthenticatedChainOptions): NamedFilter[] {
  return tracing === undefined ? [] : [{ name: 'trace', filter: traceFilter({ ...tracing, depth }) }];
}

/** Wraps a handler in the filter chain for paths that require authentication. */
export function authenticatedChain(options: AuthenticatedChainOptions, handler: Handler): Handler {
  return composeFilters(
    authenticatedFilters(options).map(({ filter }) => filter),
    handler,
  );
}

/** Wraps a handler in the filter chain for paths without authentication: the health and version of the process. */
export function publicChain(options: ChainOptions, handler: Handler): Handler {
  return composeFilters(
    openFilters(options).map(({ filter }) => filter),
    handler,
  );
}
