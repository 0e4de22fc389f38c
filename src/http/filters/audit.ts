import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { timestamp } from '../../api/meta.ts';
import { StatusError, serviceUnavailable } from '../../api/status.ts';
import { auditBody } from '../../audit/audit-body.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { type AuditRule, auditLevel, defaultAuditRules, isWrite } from '../../audit/audit-policy.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Exchange, Filter } from '../exchange.ts';

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
  return async (exchange, next) => {
    const caller = exchange.identity;
    const before = levelOf(options, exchange, caller);
    if (before !== 'None' && isWrite(exchange.info)) await record(options, exchange, 'RequestReceived', before, caller);
    const complete = async (code: number, reason?: string) => {
      // Who logs in is known only afterwards.
      const known = caller ?? exchange.identity;
      const level = levelOf(options, exchange, known, code);
      if (level === 'None') return;
      const status = { code, ...(reason === undefined ? {} : { reason }) };
      // What is done is done: the client is told so all the same, and the gap stands in the program's own log.
      await record(options, exchange, 'ResponseComplete', level, known, status).catch(() => undefined);
    };
    try {
      const reply = await next();
      await complete(reply.status);
      return reply;
    } catch (error) {
      const status = error instanceof StatusError ? error.status : undefined;
      await complete(status?.code ?? 500, status?.reason ?? 'InternalError');
      throw error;
    }
  };
}

/** The line of a caller who could not say who they are, or not prove that it is they who ask. */
export function auditFailedAuthentication(
  options: AuditOptions,
): (exchange: Exchange, refusal: StatusError, caller?: Identity) => Promise<void> {
  return (exchange, { code, status: { reason } }, caller) =>
    record(options, exchange, 'ResponseComplete', 'Metadata', caller, {
      code,
      ...(reason === undefined ? {} : { reason }),
    });
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

async function record(
  options: AuditOptions,
  exchange: Exchange,
  stage: AuditEvent['stage'],
  level: AuditEvent['level'],
  caller: Identity | undefined,
  responseStatus?: AuditEvent['responseStatus'],
): Promise<void> {
  try {
    const { info, request, identity } = exchange;
    const isBodied = responseStatus !== undefined && (level === 'Request' || level === 'RequestResponse');
    // One literal: to put it together from parts takes several times as long, and each write has two lines.
    await options.auditLog.write({
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
    });
  } catch (error) {
    options.log.error({ err: error, auditId: exchange.auditId }, 'an audit line could not be written');
    if (options.whenUnwritable !== 'continue') {
      throw serviceUnavailable('the audit log cannot be written, nothing was done; please try again later', 5);
    }
  }
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
