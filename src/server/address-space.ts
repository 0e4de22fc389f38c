import { auditPath } from '../api/audit/audit-event.ts';
import { localCluster } from '../api/naming.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Authenticator } from '../auth/authn.ts';
import { planeServer } from '../builtin/plane-server.ts';
import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import { clusterGateway } from '../gateway/cluster-gateway.ts';
import { sandboxed } from '../gateway/sandboxed.ts';
import type { ClusterApi } from '../hosts/host.ts';
import { type GuardedChainOptions, guardedChain, openChain } from '../http/chain.ts';
import { markOf } from '../http/credential.ts';
import type { Exchange, Handler, IncomingRequest } from '../http/exchange.ts';
import { inFlight } from '../http/filters/in-flight.ts';
import { keyRate } from '../http/filters/key-rate.ts';
import { sourceLimit } from '../http/filters/source-limit.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { requestObserver } from '../http/metrics/request-observer.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import { processMounts, reading } from '../http/process-mounts.ts';
import type { Reply } from '../http/reply.ts';
import { router } from '../http/router.ts';
import type { VersionInfo } from '../http/version.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Agents } from './agents/open-agents.ts';
import { type AuthHandlers, authMounts } from './auth-mounts.ts';
import type { Gateway } from './open-gateway.ts';
import type { ServerOptions } from './options.ts';

export interface AddressSpaceOptions {
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
  readonly agents: Agents;
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
export function addressSpace(options: AddressSpaceOptions): (request: IncomingRequest) => Promise<Reply> {
  const { clock, log, management, settings } = options;
  const prefix = `/${settings.apiPrefix}`;
  const { readsInFlight, writesInFlight, bodyBytes } = settings.limits;
  const chainOptions: GuardedChainOptions = {
    clock,
    log,
    depth: 0,
    authenticate: (token, exchange) => options.authenticate(token, markOf(token, exchange)),
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
      onWork: (kind, change) => options.metrics.inFlight(kind, change),
    }),
    onComplete: requestObserver({
      metrics: options.metrics,
      // A gateway sets the plane, or null for none; otherwise the request is for the management API.
      planeOf: ({ plane }) => (plane === undefined ? management : (plane ?? undefined)),
    }),
  };
  const authorize: Plane['authorize'] = (identity, asked) => management.authorize(identity, asked);
  const open = (handler: Handler): Handler => openChain(chainOptions, handler);
  // Without browser sessions there is nothing that a malicious page could abuse.
  const clusterChainOptions =
    options.auth.sessions === undefined ? chainOptions : { ...chainOptions, adorn: sandboxed };
  const guarded = (handler: Handler, depth = 0): Handler =>
    guardedChain({ ...chainOptions, depth, authorize }, handler);
  const onPlane = (exchange: Exchange, plane: Plane | undefined) => {
    exchange.plane = plane ?? null;
  };
  const { version, healthChecks, metrics } = options;
  const serveManagement = planeServer({ clock, log, version, healthChecks, metrics, bodyBytes })(management);

  const toClusters = clusterGateway({
    builtInName: localCluster,
    builtIn: options.builtIn,
    chain: clusterChainOptions,
    authorize,
    isCluster: (name) => options.isCluster(name),
    apiOf: (name) => options.apiOf(name),
    rooms: options.gateway.rooms,
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
    ...(settings.console.enabled ? { rest: openChain({ ...chainOptions, depth: consoleDepth }, options.console) } : {}),
    mounts: [
      { prefix: `${prefix}/management`, handler: guarded(serveManagement, 2) },
      { prefix: `${prefix}/cluster`, handler: toClusters },
      toInstances,
      // Agents are not browsers and have no sessions.
      options.agents.mount({ ...chainOptions, sessions: undefined }),
      ...processMounts({ version, healthChecks, metrics, open, guarded }),
      ...authMounts(options.auth, chainOptions, authorize),
      { prefix: '/backup', exact: true, handler: guarded(reading(options.backup)) },
      { prefix: auditPath, exact: true, handler: guarded(reading(options.audit)) },
    ],
  });
}
