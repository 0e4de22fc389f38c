import { methodNotAllowedOnPath, noSuchPath } from '../api/status.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Identity } from '../auth/identity.ts';
import { type GuardedChainOptions, guardedChain, openChain } from '../http/chain.ts';
import { jsonDocument, sendDocument } from '../http/document.ts';
import type { Handler, IncomingRequest, Reply } from '../http/exchange.ts';
import { inFlight } from '../http/filters/in-flight.ts';
import { keyRate } from '../http/filters/key-rate.ts';
import { sourceLimit } from '../http/filters/source-limit.ts';
import { planeHandler } from '../http/handlers/dispatch.ts';
import { healthReply } from '../http/health.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { countInFlight, requestObserver } from '../http/metrics/request-observer.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import { planeDocuments } from '../http/plane-documents.ts';
import { protobufCodec } from '../http/protobuf/envelope.ts';
import { notImplementedHandler, router } from '../http/router.ts';
import type { VersionInfo } from '../http/version.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type AuthHandlers, authMounts } from './auth-mounts.ts';
import type { ServerOptions } from './options.ts';

export interface AddressSpaceOptions {
  readonly settings: Pick<ServerOptions, 'apiPrefix' | 'audit' | 'limits'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly management: Plane;
  authenticate(token: string): Identity | undefined;
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** What lies below `/auth`. */
  readonly auth: AuthHandlers;
  /** Everything in the store, for administrators. */
  readonly backup: Handler;
}

/** The whole address space of completions §1 as one function. */
export function addressSpace(options: AddressSpaceOptions): (request: IncomingRequest) => Promise<Reply> {
  const { clock, log, management, settings } = options;
  const prefix = `/${settings.apiPrefix}`;
  const { readsInFlight, writesInFlight, bodyBytes } = settings.limits;
  const bound = inFlight({ clock, reads: readsInFlight, writes: writesInFlight, bodyBytes });
  const forAnyKey: GuardedChainOptions = {
    clock,
    log,
    depth: 0,
    authenticate: options.authenticate,
    auditLog: options.auditLog,
    auditRules: settings.audit.rules,
    whenAuditUnwritable: settings.audit.onFailure,
    sourceLimit: sourceLimit({ clock }),
    keyRate: keyRate({ clock, perSecond: settings.limits.requestsPerSecond }),
    inFlight: countInFlight(options.metrics, bound),
    onComplete: requestObserver({ metrics: options.metrics, planeOf: () => management }),
  };
  const authorize: GuardedChainOptions['authorize'] = (identity, asked) => management.authorize(identity, asked);
  const open = (handler: Handler): Handler => openChain(forAnyKey, handler);
  const guarded = (handler: Handler, depth = 0): Handler => guardedChain({ ...forAnyKey, depth, authorize }, handler);
  const gateway = guardedChain({ ...forAnyKey, depth: 2 }, notImplementedHandler(missingGateway));

  return router({
    clock,
    log,
    mounts: [
      { prefix: `${prefix}/management`, handler: guarded(managementHandler(options), 2) },
      { prefix: `${prefix}/cluster`, handler: gateway },
      { prefix: `${prefix}/project`, handler: gateway },
      { prefix: '/version', exact: true, handler: open(reading(versionHandler(options.version))) },
      ...['/healthz', '/livez', '/readyz'].map((path) => ({
        prefix: path,
        handler: open(reading(healthHandler(options.healthChecks))),
      })),
      { prefix: '/metrics', exact: true, handler: guarded(reading(metricsHandler(options.metrics))) },
      ...authMounts(options.auth, forAnyKey, authorize),
      { prefix: '/backup', exact: true, handler: guarded(reading(options.backup)) },
    ],
  });
}

const missingGateway = 'this version of the server has no gateway to clusters';

function managementHandler(options: AddressSpaceOptions): Handler {
  const { metrics, version, healthChecks, management } = options;
  const documents = planeDocuments(management, { version, healthChecks, metrics });
  return planeHandler({
    plane: management,
    log: options.log,
    now: () => options.clock.now(),
    protobuf: protobufCodec,
    bodyLimit: options.settings.limits.bodyBytes,
    async nonResource(exchange) {
      const reply = await documents.reply(exchange);
      if (reply === undefined) throw noSuchPath();
      return reply;
    },
  });
}

function reading(handler: Handler): Handler {
  return async (exchange) => {
    const { method } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowedOnPath();
    return await handler(exchange);
  };
}

function versionHandler(version: VersionInfo): Handler {
  const document = jsonDocument({ ...version });
  return async (exchange) => sendDocument(exchange, { document });
}

function healthHandler(checks: readonly HealthCheck[]): Handler {
  return async (exchange) => {
    const reply = await healthReply(checks, exchange.info.path, exchange.query);
    if (reply === undefined) throw noSuchPath();
    return reply;
  };
}

function metricsHandler(metrics: Metrics): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': metrics.contentType },
    body: await metrics.text(),
  });
}
