import { auditCheckpointsPath, auditVerifyPath } from '../api/audit/audit-chain.ts';
import { auditExportPath, auditPath } from '../api/audit/audit-event.ts';
import { backupsPath } from '../api/backups/backup-status.ts';
import { encryptionPath } from '../api/encryption/encryption-status.ts';
import { mailPath } from '../api/mail/mail-status.ts';
import { builtInClusterName } from '../api/naming.ts';
import { replicasPath } from '../api/replicas/replica-list.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Authenticator } from '../auth/authn.ts';
import type { Identity } from '../auth/identity.ts';
import { createPlaneHandlers } from '../builtin/plane-server.ts';
import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import { clusterGateway } from '../gateway/cluster-gateway.ts';
import { sandboxResponse } from '../gateway/forward/sandbox-response.ts';
import type { ClusterApi } from '../hosts/host.ts';
import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../http/chain.ts';
import { processMounts, readOnly } from '../http/documents/process-mounts.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import type { Exchange, Handler, IncomingRequest } from '../http/exchange.ts';
import { inFlightFilter } from '../http/filters/in-flight.ts';
import { keyRateFilter } from '../http/filters/key-rate.ts';
import { sourceLimitFilter } from '../http/filters/source-limit.ts';
import { watchLimitFilter } from '../http/filters/watch-limit.ts';
import type { Freshness } from '../http/freshness.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { requestObserver } from '../http/metrics/request-observer.ts';
import type { HealthCheck, Plane, ServedResources } from '../http/plane.ts';
import type { Reply } from '../http/reply.ts';
import { type Mount, router } from '../http/router.ts';
import { fingerprintOf } from '../http/session/bearer-token.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Tracer } from '../lib/trace/tracer.ts';
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
  /** True if there is a Cluster object of this name. */
  isCluster(name: string): boolean;
  /** Returns the API of a connected cluster; `undefined` if this server has no connection to it. */
  apiOf(name: string): ClusterApi | undefined;
  /** Forwards requests to the virtual clusters of projects, at `/project`. */
  readonly gateway: Gateway;
  readonly authenticate: Authenticator['authenticate'];
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  /** True for a caller to whom the limits per access key do not apply. */
  isExemptFromLimits(identity: Identity): boolean;
  /** Traces requests. Absent if tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly resume: Authenticator['authenticateByKey'];
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** The API for agents of connected clusters, at `/agent`. */
  readonly agentApi: AgentApi;
  /** The handlers below `/auth`. */
  readonly auth: AuthHandlers;
  /** GET `/backup`: returns the whole store. Only administrators may use it. */
  readonly backup: Handler;
  /** GET `/backups`: the state of scheduled backups. Only administrators may use it. */
  readonly backups: Handler;
  /** The handlers at `/audit` and below it. Only administrators and auditors may use them. */
  readonly audit: AuditHandlers;
  /** GET `/replicas`: the state of all servers. Only administrators may use it. */
  readonly replicas: Handler;
  /** `/encryption`: the state of the encryption at rest, and the rotation of keys. Only administrators may use it. */
  readonly encryption: Handler;
  /** `/mail`: the state of mails, and test mails. Only administrators may use it. */
  readonly mail: Handler;
  /** Serves all paths that no other handler serves. */
  readonly console: Handler;
}

interface AuditHandlers {
  readonly search: Handler;
  readonly export: Handler;
  readonly verify: Handler;
  readonly checkpoints: Handler;
}

/** The path depth of the console. It is infinite, so the filter chain does not parse console paths as API paths. */
const consoleDepth = Number.POSITIVE_INFINITY;

/** Clients print every warning, so the management API sends only a few. */
const managementWarningLimit = 5;

/** Creates the function that routes requests on all paths of the server (completions §1). */
export function serverRouter(options: ServerRouterOptions): (request: IncomingRequest) => Promise<Reply> {
  const { clock, log, management, settings } = options;
  const prefix = `/${settings.apiPrefix}`;
  const { readsInFlight, writesInFlight, bodyBytes } = settings.limits;
  const limits = () => settings.limits;
  const isExempt = (identity: Identity) => options.isExemptFromLimits(identity);
  const chainOptions: AuthenticatedChainOptions = {
    clock,
    log,
    depth: 0,
    authenticate: (token, exchange) => options.authenticate(token, fingerprintOf(token, exchange)),
    sessions: options.auth.sessions,
    freshness: options.freshness,
    // Trusts trace headers only from callers that are exempt from the limits. These callers could cause as much load
    // without traces.
    ...(options.tracer && { tracing: { tracer: options.tracer, isTrusted: isExempt } }),
    auditLog: options.auditLog,
    auditRules: settings.audit.rules,
    whenAuditUnwritable: settings.audit.onFailure,
    sourceLimit: sourceLimitFilter({ clock }),
    keyRate: keyRateFilter({ clock, limits, isExempt }),
    watchLimit: watchLimitFilter({ limits, isExempt }),
    inFlight: inFlightFilter({
      clock,
      reads: readsInFlight,
      writes: writesInFlight,
      bodyBytes,
      onInFlightChange: (kind, change) => options.metrics.changeInFlight(kind, change),
    }),
    onComplete: requestObserver({
      metrics: options.metrics,
      // `plane` is undefined for the management API. A gateway sets it to the target plane, or to null for a remote
      // cluster.
      planeOf: ({ plane }) => (plane === undefined ? management : (plane ?? undefined)),
    }),
  };
  const authorize: Plane['authorize'] = (identity, asked) => management.authorize(identity, asked);
  const open = (handler: Handler): Handler => publicChain(chainOptions, handler);
  // The sandbox headers protect browser sessions against malicious responses. Without browser sessions, these headers
  // are not needed.
  const clusterChainOptions =
    options.auth.sessions === undefined ? chainOptions : { ...chainOptions, addHeaders: sandboxResponse };
  const guarded = (handler: Handler, depth = 0): Handler =>
    authenticatedChain({ ...chainOptions, depth, authorize, warningLimit: managementWarningLimit }, handler);
  const onPlane = (exchange: Exchange, plane: ServedResources | undefined) => {
    exchange.plane = plane ?? null;
  };
  const { version, healthChecks, metrics } = options;
  const serveManagement = createPlaneHandlers({ clock, log, version, healthChecks, metrics, bodyBytes })(management);

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
      // Agents are not browsers, so session cookies are not accepted.
      options.agentApi.mount({ ...chainOptions, sessions: undefined }),
      ...processMounts({ version, healthChecks, metrics, publicChain: open, authenticatedChain: guarded }),
      ...authMounts(options.auth, chainOptions, authorize),
      ...operatorMounts(options, guarded),
    ],
  });
}

/** The paths for the people who run the server. */
function operatorMounts(options: ServerRouterOptions, guarded: (handler: Handler) => Handler): readonly Mount[] {
  return [
    { prefix: '/backup', exact: true, handler: guarded(readOnly(options.backup)) },
    { prefix: backupsPath, exact: true, handler: guarded(readOnly(options.backups)) },
    { prefix: auditPath, exact: true, handler: guarded(readOnly(options.audit.search)) },
    { prefix: auditExportPath, exact: true, handler: guarded(readOnly(options.audit.export)) },
    { prefix: auditVerifyPath, exact: true, handler: guarded(readOnly(options.audit.verify)) },
    { prefix: auditCheckpointsPath, exact: true, handler: guarded(readOnly(options.audit.checkpoints)) },
    { prefix: replicasPath, exact: true, handler: guarded(readOnly(options.replicas)) },
    { prefix: encryptionPath, exact: true, handler: guarded(options.encryption) },
    { prefix: mailPath, exact: true, handler: guarded(options.mail) },
  ];
}
