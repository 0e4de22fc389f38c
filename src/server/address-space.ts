import { methodNotAllowedOnPath, noSuchPath } from '../api/status.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Authenticator } from '../auth/authn.ts';
import { type GuardedChainOptions, guardedChain, openChain } from '../http/chain.ts';
import { jsonDocument, sendDocument } from '../http/document.ts';
import type { Exchange, Handler, IncomingRequest, Reply } from '../http/exchange.ts';
import { inFlight } from '../http/filters/in-flight.ts';
import { keyRate } from '../http/filters/key-rate.ts';
import { sourceLimit } from '../http/filters/source-limit.ts';
import { healthReply } from '../http/health.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { countInFlight, requestObserver } from '../http/metrics/request-observer.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import { router } from '../http/router.ts';
import type { VersionInfo } from '../http/version.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type AuthHandlers, authMounts } from './auth-mounts.ts';
import { type BuiltInCluster, clusterMounts } from './cluster-mounts.ts';
import type { Gateway } from './open-gateway.ts';
import type { ServerOptions } from './options.ts';
import { planeServer } from './plane-server.ts';

export interface AddressSpaceOptions {
  readonly settings: Pick<ServerOptions, 'apiPrefix' | 'audit' | 'limits'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly management: Plane;
  /** The cluster that is built in, at `/cluster/local`. */
  readonly builtIn: BuiltInCluster;
  /** Whether the management API has a connected cluster of that name. */
  isCluster(name: string): boolean;
  /** The virtual clusters of projects, at `/project`. */
  readonly gateway: Gateway;
  readonly authenticate: Authenticator['authenticate'];
  readonly resume: Authenticator['resume'];
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
  /** Requests that are for another plane than the management API. */
  const planes = new WeakMap<Exchange, Plane>();
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
    onComplete: requestObserver({
      metrics: options.metrics,
      planeOf: (exchange) => planes.get(exchange) ?? management,
    }),
  };
  const authorize: Plane['authorize'] = (identity, asked) => management.authorize(identity, asked);
  const open = (handler: Handler): Handler => openChain(forAnyKey, handler);
  const guarded = (handler: Handler, depth = 0): Handler => guardedChain({ ...forAnyKey, depth, authorize }, handler);
  const onPlane = (exchange: Exchange, plane: Plane) => void planes.set(exchange, plane);
  const { version, healthChecks, metrics } = options;
  const serveManagement = planeServer({ clock, log, version, healthChecks, metrics, bodyBytes })(management);

  return router({
    clock,
    log,
    mounts: [
      { prefix: `${prefix}/management`, handler: guarded(serveManagement, 2) },
      ...clusterMounts({
        apiPrefix: settings.apiPrefix,
        builtIn: options.builtIn,
        chain: forAnyKey,
        authorize,
        isCluster: (name) => options.isCluster(name),
        onPlane,
      }),
      options.gateway.mount({
        apiPrefix: settings.apiPrefix,
        chain: forAnyKey,
        authorize,
        resume: (key) => options.resume(key),
        onPlane,
      }),
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
