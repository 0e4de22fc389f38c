import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { timestamp } from '../../api/meta.ts';
import { StatusError, serviceUnavailable } from '../../api/status.ts';
import { auditBody } from '../../audit/audit-body.ts';
import type { AuditLog, LineBeginning } from '../../audit/audit-log.ts';
import { type AuditRule, auditLevel, defaultAuditRules, isRefusal, isWrite } from '../../audit/audit-policy.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Exchange, Filter, Reply } from '../exchange.ts';

export interface AuditOptions {
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  /** What requests leave behind. Absent: the default rules. */
  readonly rules?: readonly AuditRule[];
  /** When a line cannot be written: `refuse` (503, nothing is done) or `continue` (and say so in the log). */
  readonly whenUnwritable?: 'refuse' | 'continue';
}

/**
 * A write leaves its line before it is carried out, and one after; what is read leaves one where a rule says so, above
 * all if it was refused. What cannot be written down is not done (completions §11).
 */
export function audit(options: AuditOptions): Filter {
  // One asynchronous function for all of it, and none around it: each takes as long as making a line does.
  return async (exchange, next) => {
    const caller = exchange.identity;
    const before = levelOf(options, exchange, caller);
    const beginning: LineBeginning = {};
    if (before !== 'None' && isWrite(exchange.info)) {
      try {
        await options.auditLog.write(eventOf(options, exchange, 'RequestReceived', before, caller), beginning);
      } catch (error) {
        refuseUnwritten(options, exchange, error);
      }
    }
    let reply: Reply | undefined;
    let failure: unknown;
    try {
      reply = await next(exchange);
    } catch (error) {
      failure = error;
    }
    const status = reply === undefined ? statusOf(failure) : { code: reply.status };
    // Who logs in is known only afterwards.
    const known = caller ?? exchange.identity;
    const isAsBefore = known === caller && !isRefusal(status.code);
    const level = isAsBefore ? before : levelOf(options, exchange, known, status.code);
    if (level !== 'None') {
      try {
        const event = eventOf(options, exchange, 'ResponseComplete', level, known, status);
        await options.auditLog.write(event, known === caller ? beginning : undefined);
      } catch (error) {
        // What is done is done: the client is told so all the same, and the gap stands in the program's own log.
        logUnwritten(options, exchange, error);
      }
    }
    if (reply === undefined) throw failure;
    return reply;
  };
}

/** The line of a caller who could not say who they are, or not prove that it is they who ask. */
export function auditFailedAuthentication(
  options: AuditOptions,
): (exchange: Exchange, refusal: StatusError, caller?: Identity) => Promise<void> {
  return async (exchange, { code, status: { reason } }, caller) => {
    try {
      const status = reason === undefined ? { code } : { code, reason };
      await options.auditLog.write(eventOf(options, exchange, 'ResponseComplete', 'Metadata', caller, status));
    } catch (error) {
      refuseUnwritten(options, exchange, error);
    }
  };
}

function refuseUnwritten(options: AuditOptions, exchange: Exchange, error: unknown): void {
  logUnwritten(options, exchange, error);
  if (options.whenUnwritable === 'continue') return;
  throw serviceUnavailable('the audit log cannot be written, nothing was done; please try again later', 5);
}

function logUnwritten({ log }: AuditOptions, { auditId }: Exchange, error: unknown): void {
  log.error({ err: error, auditId }, 'an audit line could not be written');
}

function levelOf(
  options: AuditOptions,
  { info }: Exchange,
  caller: Identity | undefined,
  code?: number,
): AuditEvent['level'] {
  return auditLevel(options.rules ?? defaultAuditRules, {
    verb: info.verb,
    path: info.path,
    user: caller && userOf(caller),
    resource: info.isResource ? info : undefined,
    namespace: info.isResource ? info.namespace : undefined,
    code,
  });
}

function eventOf(
  options: AuditOptions,
  exchange: Exchange,
  stage: AuditEvent['stage'],
  level: AuditEvent['level'],
  caller: Identity | undefined,
  responseStatus?: AuditEvent['responseStatus'],
): AuditEvent {
  const { info, request, identity } = exchange;
  const isBodied = responseStatus !== undefined && (level === 'Request' || level === 'RequestResponse');
  // One literal: to put it together from parts takes several times as long, and each write has two lines.
  return {
    user: caller && userOf(caller),
    accessKey: caller?.accessKey,
    impersonatedUser: caller === undefined || identity === caller ? undefined : identity && userOf(identity),
    auditID: exchange.auditId,
    verb: info.verb,
    requestURI: request.url,
    sourceIPs: [request.remoteAddress],
    userAgent: request.headers['user-agent'] ?? '',
    objectRef: info.isResource ? objectRef(exchange) : undefined,
    level,
    stage,
    responseStatus,
    // Both stand in the last line: the first is written before a body has been read.
    requestObject: isBodied ? exchange.sent && auditBody(exchange.sent) : undefined,
    responseObject:
      isBodied && level === 'RequestResponse' ? exchange.answered && auditBody(exchange.answered) : undefined,
    decision: exchange.decision,
    annotations: exchange.annotations,
    requestReceivedTimestamp: timestamp(exchange.receivedAt),
    stageTimestamp: timestamp(options.clock.now()),
  };
}

function statusOf(failure: unknown): NonNullable<AuditEvent['responseStatus']> {
  if (!(failure instanceof StatusError)) return { code: 500, reason: 'InternalError' };
  const { code = 500, reason = 'InternalError' } = failure.status;
  return { code, reason };
}

function userOf({ user }: Identity): { username: string; groups: readonly string[] } {
  return { username: user.name, groups: user.groups };
}

function objectRef({ info, madeName }: Exchange): NonNullable<AuditEvent['objectRef']> {
  return {
    resource: info.resource,
    namespace: info.namespace || undefined,
    name: info.name || madeName,
    apiGroup: info.group || undefined,
    apiVersion: info.version || undefined,
    subresource: info.subresource || undefined,
  };
}
