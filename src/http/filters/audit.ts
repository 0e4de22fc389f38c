import { timestamp } from '../../api/meta.ts';
import { StatusError, serviceUnavailable, unauthorized } from '../../api/status.ts';
import type { AuditEvent, AuditLog } from '../../audit/audit-log.ts';
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
    if (before !== 'None' && isWrite(exchange.info.verb))
      await record(options, exchange, 'RequestReceived', before, caller);
    const complete = async (code: number, reason?: string) => {
      const level = levelOf(options, exchange, caller, code);
      if (level === 'None') return;
      const status = { code, ...(reason === undefined ? {} : { reason }) };
      // What is done is done: the client is told so all the same, and the gap stands in the program's own log.
      await record(options, exchange, 'ResponseComplete', level, caller, status).catch(() => undefined);
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

/** The line of a caller who could not say who they are. */
export function auditFailedAuthentication(options: AuditOptions): (exchange: Exchange) => Promise<void> {
  const { code, reason } = unauthorized().status;
  return (exchange) =>
    record(options, exchange, 'ResponseComplete', 'Metadata', undefined, {
      code: code ?? 401,
      ...(reason === undefined ? {} : { reason }),
    });
}

function levelOf(
  options: AuditOptions,
  { info }: Exchange,
  caller: Identity | undefined,
  code?: number,
): AuditEvent['level'] {
  const { group, resource, subresource } = info;
  return auditLevel(options.rules ?? defaultAuditRules, {
    verb: info.verb,
    path: info.path,
    ...(caller === undefined ? {} : { user: { username: caller.user.name, groups: caller.user.groups } }),
    ...(info.isResource ? { resource: { group, resource, subresource }, namespace: info.namespace } : {}),
    ...(code === undefined ? {} : { code }),
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
    await options.auditLog.write({
      ...subject(exchange, caller),
      ...request(exchange),
      level,
      stage,
      ...(responseStatus === undefined ? {} : { responseStatus }),
      ...(exchange.decision === undefined ? {} : { decision: exchange.decision }),
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

function subject(exchange: Exchange, caller: Identity | undefined): Partial<AuditEvent> {
  if (caller === undefined) return {};
  const acted = exchange.identity;
  return {
    user: { username: caller.user.name, groups: caller.user.groups },
    ...(caller.accessKey === undefined ? {} : { accessKey: caller.accessKey }),
    ...(acted === undefined || acted === caller
      ? {}
      : { impersonatedUser: { username: acted.user.name, groups: acted.user.groups } }),
  };
}

function request(
  exchange: Exchange,
): Pick<AuditEvent, 'auditID' | 'verb' | 'requestURI' | 'sourceIPs' | 'userAgent' | 'objectRef'> {
  const { info, request: incoming } = exchange;
  const named = (name: string, value: string) => (value === '' ? {} : { [name]: value });
  return {
    auditID: exchange.auditId,
    verb: info.verb,
    requestURI: incoming.url,
    sourceIPs: [incoming.remoteAddress],
    userAgent: incoming.headers['user-agent'] ?? '',
    ...(info.isResource
      ? {
          objectRef: {
            resource: info.resource,
            ...named('namespace', info.namespace),
            ...named('name', info.name),
            ...named('apiGroup', info.group),
            ...named('apiVersion', info.version),
            ...named('subresource', info.subresource),
          },
        }
      : {}),
  };
}
