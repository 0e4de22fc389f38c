import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditRule } from '../audit/audit-policy.ts';
import type { Identity } from '../auth/identity.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { BrowserSessions } from './browser-session.ts';
import { chain, type Exchange, type Filter, type Handler, type Reply } from './exchange.ts';
import { answer } from './filters/answer.ts';
import { type AuditOptions, audit, auditFailedAuthentication } from './filters/audit.ts';
import { authenticate } from './filters/authenticate.ts';
import { type AuthorizeOptions, authorize } from './filters/authorize.ts';
import { type DeadlineOptions, deadline } from './filters/deadline.ts';
import { impersonate } from './filters/impersonate.ts';
import { requestInfo } from './filters/request-info.ts';

export interface NamedFilter {
  readonly name: string;
  readonly filter: Filter;
}

/** What every chain needs, whatever is behind it. */
export interface ChainOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Segments of the path that belong to the mount: 2 for `/kubernetes/management`. */
  readonly depth: number;
  readonly timeouts?: Omit<DeadlineOptions, 'clock'>;
  /** Puts on what answers carry here besides. Absent: nothing. */
  adorn?(reply: Reply): void;
  /** Called once for each answer, for metrics; must be quick and must not throw. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

export interface GuardedChainOptions extends ChainOptions {
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
  /** Absent: cookies are no credentials here. */
  readonly sessions?: BrowserSessions | undefined;
  readonly auditLog: AuditLog;
  readonly auditRules?: readonly AuditRule[];
  readonly whenAuditUnwritable?: AuditOptions['whenUnwritable'];
  /** One for the whole process (`sourceLimit(…)`): a source is the same source on every path. */
  readonly sourceLimit: Filter;
  /** One for the whole process (`keyRate(…)`): a key is the same key on every path. */
  readonly keyRate: Filter;
  /** One for the whole process (`inFlight(…)`). */
  readonly inFlight: Filter;
  /** Of the plane behind. Absent: whoever is authenticated may. */
  readonly authorize?: AuthorizeOptions['authorize'];
}

/**
 * Outermost first. Headers that every answer carries are put on where errors become answers, so that those carry them
 * too (kube-apiserver has its audit id there as well, rule REQ-29); further in, each filter may throw.
 */
function openFilters(options: ChainOptions): NamedFilter[] {
  const { depth, clock } = options;
  return [
    { name: 'answer', filter: answer(options) },
    { name: 'request-info', filter: requestInfo({ depth }) },
    { name: 'deadline', filter: deadline({ clock, ...options.timeouts }) },
  ];
}

/** The filters in front of a control plane. 401 beats 429 beats 403 beats 404 and 405 (rule REQ-29). */
export function guardedFilters(options: GuardedChainOptions): NamedFilter[] {
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
  // Without somebody to ask nobody may act as another.
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

/** For what needs a key. */
export function guardedChain(options: GuardedChainOptions, handler: Handler): Handler {
  return chain(
    guardedFilters(options).map(({ filter }) => filter),
    handler,
  );
}

/** For what anybody may ask: the health and version of the process. */
export function openChain(options: ChainOptions, handler: Handler): Handler {
  return chain(
    openFilters(options).map(({ filter }) => filter),
    handler,
  );
}
