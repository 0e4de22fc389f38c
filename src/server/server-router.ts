import { auditPath } from '../api/audit/audit-event.ts';
import { builtInClusterName } from '../api/naming.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Authenticator } from '../auth/authn.ts';
import { planeServer } from '../builtin/plane-server.ts';
import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import { clusterGateway } from '../gateway/cluster-gateway.ts';
import { sandboxResponse } from '../gateway/forward/sandbox-response.ts';
import type { ClusterApi } from '../hosts/host.ts';
import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../http/chain.ts';
import { processMounts, readOnly } from '../http/documents/process-mounts.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import type { Exchange, Handler, IncomingRequest } from '../http/exchange.ts';
import { inFlight } from '../http/filters/in-flight.ts';
import { keyRate } from '../http/filters/key-rate.ts';
import { sourceLimit } from '../http/filters/source-limit.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { requestObserver } from '../http/metrics/request-observer.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import type { Reply } from '../http/reply.ts';
import { router } from '../http/router.ts';
import { fingerprintOf } from '../http/session/bearer-token.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AgentApi } from './agents/open-agent-api.ts';
import { type AuthHandlers, authMounts } from './auth/auth-mounts.ts';
import type { Gateway } from './open-gateway.ts';
import type { ServerOptions } from './settings/options.ts';

export interface ServerRouterOptions {
  readonly settings: Pick<ServerOptions, 'apiPrefix' | 'audit' | 'limits' | 'console'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly management: Plane;
  /** The built-in cluster, at `/cluster/local`. */
  readonly builtIn: BuiltInCluster;
  /** True if there is a connected cluster of this name. */
  isCluster(name: string): boolean;
  /** The API of a connected cluster; `undefined` if this server has no connection to it. */
  apiOf(name: string): ClusterApi | undefined;
  /** The virtual clusters of projects, at `/project`. */
  readonly gateway: Gateway;
  readonly authenticate: Authenticator['authenticate'];
  readonly resume: Authenticator['resume'];
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** The API for agents of connected clusters, at `/agent`. */
  readonly agentApi: AgentApi;
  /** The handlers below `/auth`. */
  readonly auth: AuthHandlers;
  /** Returns the whole store, for administrators. */
  readonly backup: Handler;
  /** Searches the audit log, for administrators. */
  readonly audit: Handler;
  /** Serves all paths that no other handler has. */
  readonly console: Handler;
}

/** The console's paths belong to no API, so the filter chain interprets none of their segments. */
const consoleDepth = Number.POSITIVE_INFINITY;

/** Routes all paths of the server (completions §1). */
export function serverRouter(options: ServerRouterOptions): (request: IncomingRequest) => Promise<Reply> {
  const { clock, log, management, settings } = options;
  const prefix = `/${settings.apiPrefix}`;
  const { readsInFlight, writesInFlight, bodyBytes } = settings.limits;
  const chainOptions: AuthenticatedChainOptions = {
    clock,
    log,
    depth: 0,
    authenticate: (token, exchange) => options.authenticate(token, fingerprintOf(token, exchange)),
    sessions: options.auth.sessions,
    auditLog: options.auditLog,
    auditRules: settings.audit.rules,
    whenAuditUnwritable: settings.audit.onFailure,
    sourceLimit: sourceLimit({ clock }),
    keyRate: keyRate({ clock, perSecond: settings.limits.requestsPerSecond }),
    inFlight: inFlight({
      clock,
      reads: readsInFlight,
      writes: writesInFlight,
      bodyBytes,
      onInFlightChange: (kind, change) => options.metrics.changeInFlight(kind, change),
    }),
    onComplete: requestObserver({
      metrics: options.metrics,
      // A gateway sets the plane, or null for none; otherwise the request is for the management API.
      planeOf: ({ plane }) => (plane === undefined ? management : (plane ?? undefined)),
    }),
  };
  const authorize: Plane['authorize'] = (identity, asked) => management.authorize(identity, asked);
  const open = (handler: Handler): Handler => publicChain(chainOptions, handler);
  // Without browser sessions there is nothing that a malicious page could abuse.
  const clusterChainOptions =
    options.auth.sessions === undefined ? chainOptions : { ...chainOptions, addHeaders: sandboxResponse };
  const guarded = (handler: Handler, depth = 0): Handler =>
    authenticatedChain({ ...chainOptions, depth, authorize }, handler);
  const onPlane = (exchange: Exchange, plane: Plane | undefined) => {
    exchange.plane = plane ?? null;
  };
  const { version, healthChecks, metrics } = options;
  const serveManagement = planeServer({ clock, log, version, healthChecks, metrics, bodyBytes })(management);

  const toClusters = clusterGateway({
    builtInName: builtInClusterName,
    builtIn: options.builtIn,
    chain: clusterChainOptions,
    authorize,
    hasCluster: (name) => options.isCluster(name),
    apiOf: (name) => options.apiOf(name),
    limiters: options.gateway.limiters,
    onPlane,
  });
  const toInstances = options.gateway.mount({
    apiPrefix: settings.apiPrefix,
    chain: clusterChainOptions,
    authorize,
    resume: (key) => options.resume(key),
    onPlane,
  });

  return router({
    clock,
    log,
    ...(settings.console.enabled
      ? { fallback: publicChain({ ...chainOptions, depth: consoleDepth }, options.console) }
      : {}),
    mounts: [
      { prefix: `${prefix}/management`, handler: guarded(serveManagement, 2) },
      { prefix: `${prefix}/cluster`, handler: toClusters },
      toInstances,
      // Agents are not browsers and have no sessions.
      options.agentApi.mount({ ...chainOptions, sessions: undefined }),
      ...processMounts({ version, healthChecks, metrics, publicChain: open, authenticatedChain: guarded }),
      ...authMounts(options.auth, chainOptions, authorize),
      { prefix: '/backup', exact: true, handler: guarded(readOnly(options.backup)) },
      { prefix: auditPath, exact: true, handler: guarded(readOnly(options.audit)) },
    ],
  });
}
