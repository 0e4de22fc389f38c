import { clusterKind } from '../api/management/v1/cluster.ts';
import { localCluster } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { noSuchPath, notFound, notImplemented } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import { gatedPlane } from '../gateway/gated-plane.ts';
import { type Authorize, inLocal } from '../gateway/plane-identity.ts';
import { type GuardedChainOptions, guardedChain } from '../http/chain.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import type { Plane } from '../http/plane.ts';
import type { Mount } from '../http/router.ts';
import { isProxied, proxiedHandler } from './proxied-handler.ts';
import type { VirtualPlanes } from './virtual-planes.ts';

/** The built-in cluster, as the address space needs it. */
export interface BuiltInCluster {
  readonly plane: Plane;
  readonly virtualPlanes: VirtualPlanes;
  /** What answers for a plane, this one or that of a virtual cluster, to whom its gate lets through. */
  serve(plane: Plane): Handler;
  /** Whether a token was made for a service account of that plane; whether it is good still only the plane can tell. */
  isTokenOf(planeId: string, token: string): Promise<boolean>;
  /** The service account of that plane, which is in use, whom a good token stands for. */
  authenticate(plane: Plane, token: string): Promise<Identity | undefined>;
}

export interface ClusterMountsOptions {
  readonly apiPrefix: string;
  readonly builtIn: BuiltInCluster;
  /** What every chain begins with; its `authenticate` knows access keys. */
  readonly chain: GuardedChainOptions;
  /** Decides for the management API. */
  readonly authorize: Authorize;
  /** Whether the management API has a connected cluster of that name. */
  isCluster(name: string): boolean;
  /** Told of the plane that a request is for, once it is known: for metrics. */
  onPlane(exchange: Exchange, plane: Plane): void;
}

/** `/<api_prefix>/cluster/<cluster>`: the built-in cluster, the virtual clusters on it, and what is not there. */
export function clusterMounts(options: ClusterMountsOptions): Mount[] {
  const { builtIn, chain, authorize, onPlane } = options;
  const plane = gatedPlane(builtIn.plane);

  const authenticate = async (token: string, exchange: Exchange): Promise<Identity | undefined> => {
    const known = await chain.authenticate(token, exchange);
    if (known !== undefined) return inLocal(known, authorize);
    return await builtIn.authenticate(builtIn.plane, token);
  };
  const serveLocal = builtIn.serve(plane);
  const local = guardedChain(
    { ...chain, depth: 3, authenticate, authorize: (identity, asked) => plane.authorize(identity, asked) },
    serveLocal,
  );
  const proxied = proxiedHandler({ ...options, plane, authenticate });
  const others = guardedChain(
    {
      ...chain,
      depth: 3,
      authorize: (identity, asked, exchange) =>
        authorize(identity, { ...asked, target: { type: 'Cluster', cluster: clusterOf(exchange) } }),
    },
    async (exchange) => {
      const name = clusterOf(exchange);
      if (name === '') throw noSuchPath();
      if (!options.isCluster(name)) throw notFound(groupResourceOf(clusterKind), name);
      throw notImplemented(`this version of the server has no gateway to the cluster ${JSON.stringify(name)}`);
    },
  );

  return [
    {
      prefix: `/${options.apiPrefix}/cluster`,
      handler(exchange) {
        const [, , cluster, ...below] = pathSegments(rawPath(exchange.request.url));
        if (cluster !== localCluster) return others(exchange);
        if (isProxied(below)) return proxied(exchange);
        onPlane(exchange, plane);
        return local(exchange);
      },
    },
  ];
}

function clusterOf(exchange: Exchange): string {
  return pathSegments(rawPath(exchange.request.url))[2] ?? '';
}
