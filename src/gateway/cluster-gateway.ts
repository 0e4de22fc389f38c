import { clusterKind } from '../api/management/v1/cluster.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound, notImplemented, pathNotFound } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { ClusterApi } from '../hosts/host.ts';
import type { AuthenticatedChainOptions } from '../http/chain.ts';
import type { Exchange, Filter, Handler } from '../http/exchange.ts';
import { isLongRunning } from '../http/request/long-running.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { BuiltInCluster } from './built-in-cluster.ts';
import { endAtCredentialExpiry } from './credential-expiry.ts';
import { remoteCluster } from './forward/remote-cluster.ts';
import type { TargetLimiters } from './forward/target-limiter.ts';
import { type GatewayHandlerOptions, gatewayHandler } from './gateway-handler.ts';
import type { GatewaySession } from './gateway-target.ts';
import { clusterIdentity, type ManagementAuthorizer } from './target-identity.ts';
import { isVirtualClusterProxyPath, virtualClusterProxy } from './virtual-cluster-proxy.ts';

export interface ClusterGatewayOptions {
  /** The name of the built-in cluster, which runs in this process. */
  readonly builtInName: string;
  /** The built-in cluster. Absent if this process has none. */
  readonly builtIn?: BuiltInCluster;
  /** The filter chain options that all gateways share. The option `authenticate` accepts access keys. */
  readonly chain: AuthenticatedChainOptions;
  /** Decides with the permissions of the management API whether a caller may use a cluster. */
  readonly authorize: ManagementAuthorizer;
  /**
   * Returns the identity for a credential that only other parts of Flotilla have, such as the control server's
   * credential for an agent. Optional.
   */
  internalIdentity?(token: string): Identity | undefined;
  /** True if there is a Cluster object with this name. */
  hasCluster(name: string): boolean;
  /** Returns the API of a connected cluster; `undefined` if this server cannot reach the cluster. */
  apiOf(name: string): ClusterApi | undefined;
  readonly limiters: TargetLimiters;
  readonly onPlane: GatewayHandlerOptions['onPlane'];
}

/** The number of path segments in `/<api_prefix>/cluster/<cluster>`. */
export const clusterPathDepth = 3;
const never = new AbortController().signal;

/**
 * Forwards requests to connected clusters and to the built-in cluster. A caller needs the permission to `use` the
 * cluster, and has the same identity in the cluster. Paths below the built-in cluster also lead to the virtual clusters
 * on it.
 */
export function clusterGateway(options: ClusterGatewayOptions): Handler {
  const { builtInName, builtIn, authorize } = options;
  const ends = new WeakMap<Exchange, number>();
  const within: Filter = (exchange, next) => {
    const end = ends.get(exchange);
    return end === undefined ? next(exchange) : endAtCredentialExpiry(exchange, end, options.chain.clock, next);
  };

  /** The identities of callers inside the built-in cluster, cached by their identity in the management API. */
  const callers = new WeakMap<Identity, Identity>();
  const callerIn = (known: Identity, cluster: string): Identity => {
    if (cluster !== builtInName) return clusterIdentity(known, cluster, authorize);
    let caller = callers.get(known);
    if (caller === undefined) {
      caller = clusterIdentity(known, cluster, authorize);
      callers.set(known, caller);
    }
    return caller;
  };

  const identityFor = (
    known: Identity | undefined,
    token: string,
    exchange: Exchange,
  ): MaybePromise<Identity | undefined> => {
    const cluster = clusterOf(exchange);
    if (known?.expiresAt !== undefined && isLongRunning(exchange)) ends.set(exchange, known.expiresAt);
    if (known !== undefined) return callerIn(known, cluster);
    return cluster === builtInName ? builtIn?.local.authenticate(token) : undefined;
  };

  function authenticate(token: string, exchange: Exchange): MaybePromise<Identity | undefined> {
    const internal = options.internalIdentity?.(token);
    if (internal !== undefined) return internal;
    return andThen(options.chain.authenticate(token, exchange), (found) => identityFor(found, token, exchange));
  }

  const builtInSession: GatewaySession | undefined = builtIn && { target: builtIn.local, signal: never, close() {} };

  function enter(exchange: Exchange): GatewaySession {
    const cluster = clusterOf(exchange);
    if (cluster === builtInName && builtInSession !== undefined) return builtInSession;
    if (cluster === '') throw pathNotFound();
    if (!options.hasCluster(cluster)) throw notFound(groupResourceOf(clusterKind), cluster);
    const name = `the cluster ${JSON.stringify(cluster)}`;
    const api = options.apiOf(cluster);
    if (api === undefined) throw notImplemented(`this server has no gateway to ${name}`);
    const limiter = options.limiters.get(cluster);
    const credentialFor = ({ user }: Identity) => user;
    const abortSignal = () => exchange.signal;
    return {
      target: remoteCluster({
        api,
        name,
        pathDepth: clusterPathDepth,
        credentialFor,
        limiter,
        abortSignal,
      }),
      signal: never,
      close() {},
    };
  }

  const direct = gatewayHandler({
    ...options,
    pathDepth: clusterPathDepth,
    authenticate,
    openSession: enter,
    isPermanent: true,
    targetFilter: within,
  });
  const proxied = builtIn && virtualClusterProxy({ ...options, builtIn, authenticate, targetFilter: within });
  return (exchange) => {
    const segments = segmentsOf(exchange);
    const isBuiltIn = segments[2] === builtInName && proxied !== undefined;
    return isBuiltIn && isVirtualClusterProxyPath(segments, clusterPathDepth) ? proxied(exchange) : direct(exchange);
  };
}

function segmentsOf(exchange: Exchange): readonly string[] {
  return exchange.segments ?? pathSegments(rawPath(exchange.request.url));
}

function clusterOf(exchange: Exchange): string {
  return segmentsOf(exchange)[2] ?? '';
}
