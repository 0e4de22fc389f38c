import { defaultCredentialLimits } from '../api/credential-limits.ts';
import { sleepUnusedReason } from '../api/management/sleep-reasons.ts';
import type { SpaceInstance } from '../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { controllersUser } from '../api/naming.ts';
import { serviceUnavailable } from '../api/status.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { isAdmin } from '../auth/authz/subject.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { clusterGateway } from '../gateway/cluster-gateway.ts';
import type { TargetLimiters } from '../gateway/forward/target-limiter.ts';
import { createInstanceAccess } from '../gateway/instance-access.ts';
import type { ActivityLog } from '../gateway/instance-activity.ts';
import type { InstanceChanges } from '../gateway/instance-changes.ts';
import { type ProjectInstance, virtualClusterType } from '../gateway/instance-type.ts';
import { type ProjectGatewayOptions, projectGateway } from '../gateway/project-gateway.ts';
import { spaceType } from '../gateway/spaces/space-type.ts';
import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../http/chain.ts';
import { processMounts } from '../http/documents/process-mounts.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import type { Exchange, Handler, IncomingRequest } from '../http/exchange.ts';
import { inFlightFilter } from '../http/filters/in-flight.ts';
import { type KeyRateLimitOptions, keyRateFilter } from '../http/filters/key-rate.ts';
import { sourceLimitFilter } from '../http/filters/source-limit.ts';
import { type WatchLimitOptions, watchLimitFilter } from '../http/filters/watch-limit.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { requestObserver } from '../http/metrics/request-observer.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import type { Reply } from '../http/reply.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { router } from '../http/router.ts';
import { bearerTokenOf } from '../http/session/bearer-token.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AgentAuth } from './agent-auth.ts';
import type { AgentHost } from './agent-host.ts';
import { controlServerUser } from './cluster-account.ts';
import type { CachedPolicy } from './policy/cached-policy.ts';

export interface AgentRouterOptions {
  readonly apiPrefix: string;
  readonly cluster: string;
  readonly host: AgentHost;
  readonly policy: CachedPolicy;
  readonly auth: AgentAuth;
  readonly tokens: TokenVerifier;
  readonly limiters: TargetLimiters;
  readonly activity: ActivityLog;
  readonly changes: InstanceChanges<VirtualClusterInstance>;
  readonly spaceChanges: InstanceChanges<SpaceInstance>;
  /** True if the token is the credential with which the control server calls this agent. */
  isControlServer(token: string): boolean;
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Response header with the age, in seconds, of the cached policy that authorized the request. */
export const policyAgeHeader = 'flotilla-policy-age';

const bodyBytes = 3 * 1024 * 1024;
const never = new AbortController().signal;
/**
 * First path segments below `/cluster/` that belong to the API of the agent's cluster, so they are not treated as a
 * cluster name (completions §7).
 */
const clusterPaths = new Set(['api', 'apis', 'version', 'openapi', 'healthz', 'livez', 'readyz', 'metrics', 'logs']);

/** Returns the filters that every request passes. `planeOf` returns the plane that serves a request. */
function chainOf(
  { policy: { replica }, auth, auditLog, clock, log, metrics }: AgentRouterOptions,
  planeOf: (exchange: Exchange) => Plane | undefined,
): AuthenticatedChainOptions {
  const credentialLimits = credentialLimitsOf(replica);
  return {
    clock,
    log,
    depth: 0,
    authenticate: (token, exchange) => auth.authenticate(token, exchange.signal),
    auditLog,
    sourceLimit: sourceLimitFilter({ clock }),
    keyRate: keyRateFilter({ clock, ...credentialLimits }),
    watchLimit: watchLimitFilter(credentialLimits),
    inFlight: inFlightFilter({
      clock,
      reads: 400,
      writes: 200,
      bodyBytes,
      onInFlightChange: (kind, change) => metrics.changeInFlight(kind, change),
    }),
    onComplete: requestObserver({ metrics, planeOf }),
  };
}

/**
 * Returns the handler that serves the agent's cluster and its virtual clusters to the callers whom the cached policy
 * allows.
 */
export function agentRouter(options: AgentRouterOptions): (request: IncomingRequest) => Promise<Reply> {
  const { apiPrefix, cluster, host, policy, auth, clock, log, metrics } = options;
  const planes = new WeakMap<Exchange, Plane | undefined>();
  const onPlane = (exchange: Exchange, plane: Plane | undefined) => void planes.set(exchange, plane);
  const chain = chainOf(options, (exchange) => planes.get(exchange));
  const authorize = auth.authorize.bind(auth);
  const controlServer = { user: controlServerUser, system: false, signal: never };

  const toCluster = clusterGateway({
    builtInName: cluster,
    ...(host.builtIn === undefined ? {} : { builtIn: host.builtIn }),
    chain,
    authorize,
    internalIdentity: (token) => (options.isControlServer(token) ? controlServer : undefined),
    hasCluster: (name) => name === cluster,
    apiOf: (name) => (name === cluster ? host.api : undefined),
    limiters: options.limiters,
    onPlane,
  });
  const toInstances = projectGateway({ ...instanceAccess(options), chain, authorize, onPlane });

  /**
   * Rejects requests while the cached policy is too old. Requests of the control server are exempt, because the agent
   * recognizes their credential without the policy.
   */
  const withFreshPolicy = (handler: Handler): Handler => {
    const stale = publicChain(chain, () => Promise.reject(policyExpired(policy)));
    return async (exchange) => {
      if (!policy.isUsable && !isFromControlServer(exchange, options)) return await stale(exchange);
      return await handler(exchange);
    };
  };
  const withPolicyAge = (handler: Handler): Handler => {
    return async (exchange) => {
      const reply = await handler(exchange);
      const { age } = policy;
      if (age !== undefined) reply.headers[policyAgeHeader] = String(Math.floor(age / 1000));
      return reply;
    };
  };

  const open = (handler: Handler): Handler => withPolicyAge(publicChain(chain, handler));
  const guarded = (handler: Handler): Handler =>
    withPolicyAge(withFreshPolicy(authenticatedChain({ ...chain, authorize }, handler)));
  const { version, healthChecks } = options;
  const route = router({
    clock,
    log,
    mounts: [
      { prefix: `/${apiPrefix}/cluster`, handler: withPolicyAge(withFreshPolicy(toCluster)) },
      { prefix: `/${apiPrefix}/project`, handler: withPolicyAge(withFreshPolicy(toInstances)) },
      ...processMounts({ version, healthChecks, metrics, publicChain: open, authenticatedChain: guarded }),
    ],
  });
  return (request) => route(withClusterName(request, apiPrefix, cluster));
}

/** Returns the gateway options that depend on the policy: the access to instances. */
function instanceAccess(options: AgentRouterOptions): Omit<ProjectGatewayOptions, 'chain' | 'authorize' | 'onPlane'> {
  const { cluster, host, auth, activity, clock } = options;
  const { replica } = options.policy;
  const sleepsFromInactivity = ({ status }: ProjectInstance) => status?.reason === sleepUnusedReason;
  const shared = { activity, sleepsFromInactivity, clock };
  return {
    virtualClusters: {
      instance: (namespace, name) => replica.instance(namespace, name),
      access: createInstanceAccess({
        ...shared,
        type: virtualClusterType,
        clusterOf: (name) => (name === cluster ? host.virtualClusters : undefined),
        latest: ({ metadata }) => sameObject(metadata, replica.instance(metadata.namespace ?? '', metadata.name ?? '')),
      }),
      changes: options.changes,
      serviceAccounts: {
        get areAccepted() {
          return replica.header?.serviceAccountTokens ?? false;
        },
        limits: {
          get maxAgeSeconds() {
            return replica.header?.maxServiceAccountTokenAge ?? 0;
          },
        },
      },
    },
    spaces: {
      instance: (namespace, name) => replica.space(namespace, name),
      access: createInstanceAccess({
        ...shared,
        type: spaceType,
        clusterOf: (name) => (name === cluster ? host.spaces : undefined),
        latest: ({ metadata }) => sameObject(metadata, replica.space(metadata.namespace ?? '', metadata.name ?? '')),
      }),
      changes: options.spaceChanges,
    },
    tokens: {
      get installation() {
        return replica.header?.installation ?? '';
      },
      verify: (token) => options.tokens.verify(token),
    },
    resume: (key) => auth.resume(key),
    clock,
  };
}

/**
 * Returns `found` if it has the UID in the given metadata; `undefined` if `found` is absent or is a later object with
 * the same name.
 */
function sameObject<Instance extends ProjectInstance>(
  { uid }: KubeObject['metadata'],
  found: Instance | undefined,
): Instance | undefined {
  return found?.metadata.uid === uid ? found : undefined;
}

/**
 * Returns the limits of each credential, which the control server sets. The limits do not apply to the control server
 * itself, or to an installation admin whose access key has no scope.
 */
function credentialLimitsOf(replica: CachedPolicy['replica']): WatchLimitOptions & Pick<KeyRateLimitOptions, 'limits'> {
  return {
    limits: () => replica.header?.limits ?? defaultCredentialLimits,
    isExempt({ accessKey, user }) {
      if (accessKey === undefined) return user.name === controllersUser;
      return isAdmin(user) && replica.key(accessKey)?.scopes.length === 0;
    },
  };
}

function isFromControlServer({ request }: Exchange, { isControlServer }: AgentRouterOptions): boolean {
  return isControlServer(bearerTokenOf(request) ?? '');
}

function policyExpired(policy: CachedPolicy): Error {
  const { age } = policy;
  return serviceUnavailable(
    age === undefined
      ? 'the agent has not received its policy from the server yet'
      : `the agent lost its connection to the server ${Math.floor(age / 3600_000)} hours ago, and its cached policy has expired`,
    30,
  );
}

/**
 * Rewrites `/cluster/api/v1/…` to `/cluster/<name>/api/v1/…`. Clients of an agent may omit the cluster name, because an
 * agent has only one cluster.
 */
function withClusterName(request: IncomingRequest, apiPrefix: string, cluster: string): IncomingRequest {
  const prefix = `/${apiPrefix}/cluster/`;
  if (!request.url.startsWith(prefix)) return request;
  const rest = request.url.slice(prefix.length);
  const [first = ''] = pathSegments(rawPath(`/${rest}`));
  if (first === cluster || !clusterPaths.has(first)) return request;
  // `signal` can be a getter of the request's class, which the spread does not copy. Delegate to that getter, so that
  // the signal is still created on first access.
  return {
    ...request,
    url: `${prefix}${cluster}/${rest}`,
    get signal() {
      return request.signal;
    },
  };
}
