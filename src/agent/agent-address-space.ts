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
import type { Exchange, Handler, IncomingRequest, Reply } from '../http/exchange.ts';
import { inFlight } from '../http/filters/in-flight.ts';
import { keyRate } from '../http/filters/key-rate.ts';
import { sourceLimit } from '../http/filters/source-limit.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import { requestObserver } from '../http/metrics/request-observer.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import { processMounts } from '../http/process-mounts.ts';
import { router } from '../http/router.ts';
import type { VersionInfo } from '../http/version.ts';
import type { Clock } from '../lib/clock.ts';
import { textAt } from '../lib/json-path.ts';
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
  /** Whether this is what the centre was given to work on the cluster with. */
  isCentre(token: string): boolean;
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** In seconds: how old what the answer rests on is. */
export const policyAgeHeader = 'flotilla-policy-age';

const bodyBytes = 3 * 1024 * 1024;
const never = new AbortController().signal;
/** Below `/cluster/`, these are the cluster's own paths and no name (completions §7). */
const clusterPaths = new Set(['api', 'apis', 'version', 'openapi', 'healthz', 'livez', 'readyz', 'metrics', 'logs']);

/** What an agent serves: its cluster and the virtual clusters on it, to whom the policy that it knows lets in. */
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
  const centre = {
    user: { name: controllersUser, groups: [kubernetesMastersGroup, kubernetesAuthenticatedGroup] },
    system: false,
    signal: never,
  };

  const toCluster = clusterGateway({
    builtInName: cluster,
    ...(host.builtIn === undefined ? {} : { builtIn: host.builtIn }),
    chain,
    authorize,
    known: (token) => (options.isCentre(token) ? centre : undefined),
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
      restsUnused: (instance) => textAt(instance, 'status', 'reason') === asleepByRest,
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

  /** Nobody is let in by what was true too long ago; the centre brings its own credential. */
  const fresh = (handler: Handler): Handler => {
    const stale = openChain(chain, () => Promise.reject(tooOld(policy)));
    return async (exchange) => {
      if (!policy.usable && !comesFromCentre(exchange, options)) return await stale(exchange);
      return await handler(exchange);
    };
  };
  const aged = (handler: Handler): Handler => {
    return async (exchange) => {
      const reply = await handler(exchange);
      const { age } = policy;
      if (age !== undefined) reply.headers[policyAgeHeader] = String(Math.floor(age / 1000));
      return reply;
    };
  };

  const open = (handler: Handler): Handler => aged(openChain(chain, handler));
  const guarded = (handler: Handler): Handler => aged(fresh(guardedChain({ ...chain, authorize }, handler)));
  const { version, healthChecks } = options;
  const route = router({
    clock,
    log,
    mounts: [
      { prefix: `/${apiPrefix}/cluster`, handler: aged(fresh(toCluster)) },
      { prefix: `/${apiPrefix}/project`, handler: aged(fresh(toInstances)) },
      ...processMounts({ version, healthChecks, metrics, open, guarded }),
    ],
  });
  return (request) => route(withClusterName(request, apiPrefix, cluster));
}

function comesFromCentre({ request }: Exchange, { isCentre }: AgentAddressSpaceOptions): boolean {
  return isCentre(credentialOf(request) ?? '');
}

function tooOld(policy: KnownPolicy): Error {
  const { age } = policy;
  return serviceUnavailable(
    age === undefined
      ? 'this agent has not heard from the central server yet, and lets in nobody'
      : `this agent has not heard from the central server for ${Math.floor(age / 3600_000)} hours, and lets in nobody`,
    30,
  );
}

/** `/cluster/api/v1/…` is `/cluster/<name>/api/v1/…`: there is one cluster here. */
function withClusterName(request: IncomingRequest, apiPrefix: string, cluster: string): IncomingRequest {
  const prefix = `/${apiPrefix}/cluster/`;
  if (!request.url.startsWith(prefix)) return request;
  const rest = request.url.slice(prefix.length);
  const [first = ''] = pathSegments(rawPath(`/${rest}`));
  if (first === cluster || !clusterPaths.has(first)) return request;
  // The signal is no member of the request's own, and made only for those who ask.
  return {
    ...request,
    url: `${prefix}${cluster}/${rest}`,
    get signal() {
      return request.signal;
    },
  };
}
