import { asleepByRest } from '../api/management/sleep-reasons.ts';
import { controllersUser, kubernetesAuthenticatedGroup, kubernetesMastersGroup } from '../api/naming.ts';
import { serviceUnavailable } from '../api/status.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { VerifiedTokens } from '../auth/verified-tokens.ts';
import { clusterGateway } from '../gateway/cluster-gateway.ts';
import type { ActivityLog } from '../gateway/instance-activity.ts';
import type { InstanceChanges } from '../gateway/instance-changes.ts';
import { instanceDoors } from '../gateway/instance-doors.ts';
import { instanceGateway } from '../gateway/instance-gateway.ts';
import type { TargetRooms } from '../gateway/target-room.ts';
import { type GuardedChainOptions, guardedChain, openChain } from '../http/chain.ts';
import { credentialOf } from '../http/credential.ts';
import type { Exchange, Handler, IncomingRequest } from '../http/exchange.ts';
import { inFlight } from '../http/filters/in-flight.ts';
import { keyRate } from '../http/filters/key-rate.ts';
import { sourceLimit } from '../http/filters/source-limit.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { requestObserver } from '../http/metrics/request-observer.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import { processMounts } from '../http/process-mounts.ts';
import type { Reply } from '../http/reply.ts';
import { router } from '../http/router.ts';
import type { VersionInfo } from '../http/version.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AgentDoor } from './agent-door.ts';
import type { AgentHost } from './agent-host.ts';
import type { KnownPolicy } from './known-policy.ts';

export interface AgentAddressSpaceOptions {
  readonly apiPrefix: string;
  readonly cluster: string;
  readonly host: AgentHost;
  readonly policy: KnownPolicy;
  readonly door: AgentDoor;
  readonly tokens: VerifiedTokens;
  readonly rooms: TargetRooms;
  readonly activity: ActivityLog;
  readonly changes: InstanceChanges;
  /** True if the token is the credential that the control server was given for this cluster. */
  isCentre(token: string): boolean;
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Response header with the age of the policy behind the response, in seconds. */
export const policyAgeHeader = 'flotilla-policy-age';

const bodyBytes = 3 * 1024 * 1024;
const never = new AbortController().signal;
/** Path segments below `/cluster/` that belong to the cluster itself and are not a cluster name (completions §7). */
const clusterPaths = new Set(['api', 'apis', 'version', 'openapi', 'healthz', 'livez', 'readyz', 'metrics', 'logs']);

/** Serves the agent's cluster and its virtual clusters to callers that the cached policy allows. */
export function agentAddressSpace(options: AgentAddressSpaceOptions): (request: IncomingRequest) => Promise<Reply> {
  const { apiPrefix, cluster, host, policy, door, clock, log, metrics } = options;
  const { replica } = policy;
  const planes = new WeakMap<Exchange, Plane | undefined>();
  const onPlane = (exchange: Exchange, plane: Plane | undefined) => void planes.set(exchange, plane);
  const chain: GuardedChainOptions = {
    clock,
    log,
    depth: 0,
    authenticate: (token, exchange) => door.authenticate(token, exchange.signal),
    auditLog: options.auditLog,
    sourceLimit: sourceLimit({ clock }),
    keyRate: keyRate({ clock, perSecond: 0 }),
    inFlight: inFlight({
      clock,
      reads: 400,
      writes: 200,
      bodyBytes,
      onWork: (kind, change) => metrics.inFlight(kind, change),
    }),
    onComplete: requestObserver({ metrics, planeOf: (exchange) => planes.get(exchange) }),
  };
  const authorize = door.authorize.bind(door);
  const controlServer = {
    user: { name: controllersUser, groups: [kubernetesMastersGroup, kubernetesAuthenticatedGroup] },
    system: false,
    signal: never,
  };

  const toCluster = clusterGateway({
    builtInName: cluster,
    ...(host.builtIn === undefined ? {} : { builtIn: host.builtIn }),
    chain,
    authorize,
    known: (token) => (options.isCentre(token) ? controlServer : undefined),
    isCluster: (name) => name === cluster,
    apiOf: (name) => (name === cluster ? host.api : undefined),
    rooms: options.rooms,
    onPlane,
  });
  const toInstances = instanceGateway({
    chain,
    authorize,
    instance: (namespace, name) => replica.instance(namespace, name),
    doors: instanceDoors({
      clusterOf: (name) => (name === cluster ? host.virtualClusters : undefined),
      latest({ metadata: { namespace = '', name = '', uid } }) {
        const found = replica.instance(namespace, name);
        return found?.metadata.uid === uid ? found : undefined;
      },
      activity: options.activity,
      restsUnused: (instance) => instance.status?.reason === asleepByRest,
      clock,
    }),
    changes: options.changes,
    tokens: {
      get installation() {
        return replica.frame?.installation ?? '';
      },
      verify: (token) => options.tokens.verify(token),
    },
    resume: (key) => door.resume(key),
    get serviceAccountTokens() {
      return replica.frame?.serviceAccountTokens ?? false;
    },
    onPlane,
    clock,
  });

  /** Rejects requests while the policy is too old. The control server has its own credential and is exempt. */
  const withFreshPolicy = (handler: Handler): Handler => {
    const stale = openChain(chain, () => Promise.reject(policyExpired(policy)));
    return async (exchange) => {
      if (!policy.usable && !isFromControlServer(exchange, options)) return await stale(exchange);
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

  const open = (handler: Handler): Handler => withPolicyAge(openChain(chain, handler));
  const guarded = (handler: Handler): Handler =>
    withPolicyAge(withFreshPolicy(guardedChain({ ...chain, authorize }, handler)));
  const { version, healthChecks } = options;
  const route = router({
    clock,
    log,
    mounts: [
      { prefix: `/${apiPrefix}/cluster`, handler: withPolicyAge(withFreshPolicy(toCluster)) },
      { prefix: `/${apiPrefix}/project`, handler: withPolicyAge(withFreshPolicy(toInstances)) },
      ...processMounts({ version, healthChecks, metrics, open, guarded }),
    ],
  });
  return (request) => route(withClusterName(request, apiPrefix, cluster));
}

function isFromControlServer({ request }: Exchange, { isCentre }: AgentAddressSpaceOptions): boolean {
  return isCentre(credentialOf(request) ?? '');
}

function policyExpired(policy: KnownPolicy): Error {
  const { age } = policy;
  return serviceUnavailable(
    age === undefined
      ? 'the agent has not received its policy from the server yet'
      : `the agent lost its connection to the server ${Math.floor(age / 3600_000)} hours ago, and its cached policy has expired`,
    30,
  );
}

/** Rewrites `/cluster/api/v1/…` to `/cluster/<name>/api/v1/…`: an agent has one cluster. */
function withClusterName(request: IncomingRequest, apiPrefix: string, cluster: string): IncomingRequest {
  const prefix = `/${apiPrefix}/cluster/`;
  if (!request.url.startsWith(prefix)) return request;
  const rest = request.url.slice(prefix.length);
  const [first = ''] = pathSegments(rawPath(`/${rest}`));
  if (first === cluster || !clusterPaths.has(first)) return request;
  // The signal is a lazy getter that a spread would evaluate, so it is delegated.
  return {
    ...request,
    url: `${prefix}${cluster}/${rest}`,
    get signal() {
      return request.signal;
    },
  };
}
