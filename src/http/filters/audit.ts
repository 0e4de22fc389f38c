import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { timestamp } from '../../api/meta.ts';
import { StatusError, serviceUnavailable } from '../../api/status.ts';
import type { AuditLinePrefix, AuditLog } from '../../audit/audit-log.ts';
import {
  type AuditAttributes,
  type AuditRule,
  auditLevel,
  defaultAuditRules,
  highestAuditLevel,
  includesRequestBody,
  isRefusedCode,
  isStateChangingRequest,
} from '../../audit/audit-policy.ts';
import { redactBody } from '../../audit/redact-body.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { toStatusError } from '../../registry/store-status.ts';
import { type Exchange, type Filter, markDryRun } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { isLongRunning } from '../request/long-running.ts';

export interface AuditOptions {
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  /** The audit policy. Optional; defaults to `defaultAuditRules`. */
  readonly rules?: readonly AuditRule[];
  /**
   * The reaction to an audit event that cannot be written. `refuse`: respond with 503 and do not execute the request.
   * `continue`: log the error and execute the request. Optional; defaults to `refuse`.
   */
  readonly whenUnwritable?: 'refuse' | 'continue';
}

/**
 * Writes audit events. A write request has one event before it is executed and one afterwards. A read request has an
 * event only if an audit rule matches, above all if the request was denied. A write request whose first event cannot be
 * written is not executed (completions §11).
 */
export function auditFilter(options: AuditOptions): Filter {
  const rules = options.rules ?? defaultAuditRules;
  const hasBodies = rules.some(({ level }) => includesRequestBody(level));
  // All steps are in one async function, because each further async function would take as long as creating the event.
  return async (exchange, next) => {
    const caller = exchange.identity;
    const initialLevel = levelOf(options, exchange, caller);
    if (hasBodies) exchange.auditLevel = highestAuditLevel(rules, attributesOf(exchange, caller), initialLevel);
    if (exchange.query.size > 0 && isDryRunByQuery(exchange)) markDryRun(exchange);
    const prefix: AuditLinePrefix = {};
    if (initialLevel !== 'None' && isStateChangingRequest(exchange.info)) {
      try {
        await options.auditLog.write(
          eventOf(options, exchange, { stage: 'RequestReceived', level: initialLevel, caller }),
          prefix,
        );
      } catch (error) {
        rejectUnrecorded(options, exchange, error);
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
    // A login request has no caller before it is executed.
    const finalCaller = caller ?? exchange.identity;
    const isUnchanged = finalCaller === caller && !isRefusedCode(status.code);
    const level = isUnchanged ? initialLevel : levelOf(options, exchange, finalCaller, status.code);
    if (level !== 'None') {
      try {
        const event = eventOf(options, exchange, {
          stage: 'ResponseComplete',
          level,
          caller: finalCaller,
          responseStatus: status,
        });
        await options.auditLog.write(event, finalCaller === caller ? prefix : undefined);
      } catch (error) {
        // The request has been executed, so the client gets its response. The server log reports the missing audit
        // event.
        logUnrecorded(options, exchange, error);
      }
    }
    // The garbage collector may keep the exchange for many requests, so it must not keep the bodies, which are larger.
    exchange.auditedRequest = undefined;
    exchange.auditedResponse = undefined;
    if (reply === undefined) throw failure;
    return reply;
  };
}

/** Writes the audit event of a request with an invalid credential, or with a session cookie from another origin. */
export function auditFailedAuthentication(
  options: AuditOptions,
): (exchange: Exchange, refusal: StatusError, caller?: Identity) => Promise<void> {
  return async (exchange, { code, status: { reason } }, caller) => {
    try {
      const responseStatus = reason === undefined ? { code } : { code, reason };
      const stage: EventStage = { stage: 'ResponseComplete', level: 'Metadata', caller, responseStatus };
      await options.auditLog.write(eventOf(options, exchange, stage));
    } catch (error) {
      rejectUnrecorded(options, exchange, error);
    }
  };
}

const dryRunVerbs = new Set(['create', 'update', 'patch']);

/**
 * True if the query alone makes the request a dry run. For a delete, the body may replace the query, so the delete
 * handler marks the dry run. Connections and requests for tokens ignore the parameter.
 */
function isDryRunByQuery(exchange: Exchange): boolean {
  const { info, query } = exchange;
  if (!query.has('dryRun') || !info.isResource || !dryRunVerbs.has(info.verb)) return false;
  return info.subresource !== 'token' && !isLongRunning(exchange);
}

function rejectUnrecorded(options: AuditOptions, exchange: Exchange, error: unknown): void {
  logUnrecorded(options, exchange, error);
  if (options.whenUnwritable === 'continue') return;
  throw serviceUnavailable('the audit log cannot be written, so the request was not executed; try again later', 5);
}

function logUnrecorded({ log }: AuditOptions, { auditId }: Exchange, error: unknown): void {
  log.error({ err: error, auditId }, 'failed to write an audit event');
}

function levelOf(
  options: AuditOptions,
  exchange: Exchange,
  caller: Identity | undefined,
  code?: number,
): AuditEvent['level'] {
  return auditLevel(options.rules ?? defaultAuditRules, attributesOf(exchange, caller, code));
}

function attributesOf({ info }: Exchange, caller: Identity | undefined, code?: number): AuditAttributes {
  return {
    verb: info.verb,
    path: info.path,
    user: caller && userOf(caller),
    resource: info.isResource ? info : undefined,
    namespace: info.isResource ? info.namespace : undefined,
    code,
  };
}

/** The members of an audit event that differ between the stages of a request. */
interface EventStage {
  readonly stage: AuditEvent['stage'];
  readonly level: AuditEvent['level'];
  /** The authenticated caller, not the user that the caller impersonates. */
  readonly caller: Identity | undefined;
  /** The result of the request; `undefined` before the request is executed. */
  readonly responseStatus?: AuditEvent['responseStatus'];
}

function eventOf(
  options: AuditOptions,
  exchange: Exchange,
  { stage, level, caller, responseStatus }: EventStage,
): AuditEvent {
  const { info, request, identity } = exchange;
  const hasBodies = responseStatus !== undefined && includesRequestBody(level);
  // One object literal without spreads, because spreading objects takes several times as long, and each write has two
  // audit events.
  return {
    user: caller && userOf(caller),
    accessKey: caller?.accessKey,
    impersonatedUser: caller === undefined || identity === caller ? undefined : identity && userOf(identity),
    auditID: exchange.auditId,
    verb: info.verb,
    requestURI: exchange.auditedUrl ?? request.url,
    sourceIPs: request.remoteAddress === '' ? [] : [request.remoteAddress],
    userAgent: request.headers['user-agent'] ?? '',
    objectRef: info.isResource ? objectRef(exchange) : undefined,
    level,
    stage,
    responseStatus,
    // Only the last event of a request contains bodies, because the first event is written before the body is received.
    requestObject: hasBodies ? exchange.auditedRequest && redactBody(exchange.auditedRequest) : undefined,
    responseObject:
      hasBodies && level === 'RequestResponse'
        ? exchange.auditedResponse && redactBody(exchange.auditedResponse)
        : undefined,
    decision: exchange.decision,
    annotations: exchange.annotations?.values,
    requestReceivedTimestamp: timestamp(exchange.receivedAt),
    stageTimestamp: timestamp(options.clock.now()),
  };
}

function statusOf(failure: unknown): NonNullable<AuditEvent['responseStatus']> {
  const error = toStatusError(failure);
  if (!(error instanceof StatusError)) return { code: 500, reason: 'InternalError' };
  const { code = 500, reason = 'InternalError' } = error.status;
  return { code, reason: reason.slice(0, maxReasonLength) };
}

/** The maximum length of a reason in an audit event. Reasons of Kubernetes are single words, but webhooks choose theirs. */
const maxReasonLength = 256;

function userOf({ user }: Identity): { username: string; groups: readonly string[] } {
  return { username: user.name, groups: user.groups };
}

function objectRef({ info, createdName }: Exchange): NonNullable<AuditEvent['objectRef']> {
  return {
    resource: info.resource,
    namespace: info.namespace || undefined,
    name: info.name || createdName,
    apiGroup: info.group || undefined,
    apiVersion: info.version || undefined,
    subresource: info.subresource || undefined,
  };
}
