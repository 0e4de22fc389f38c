import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { proxySubresource, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { Decision, ResourceAttributes } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { AuthenticatedChainOptions } from '../http/chain.ts';
import type { Exchange, Filter, Handler } from '../http/exchange.ts';
import { denial } from '../http/filters/authorize.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { parseRequestInfo } from '../http/request/request-info.ts';
import type { BuiltInCluster } from './built-in-cluster.ts';
import { gatedPlane } from './gated-plane.ts';
import { type GatewayHandlerOptions, gatewayHandler } from './gateway-handler.ts';
import { createPlaneSession } from './gateway-target.ts';
import { virtualClusterIdentity } from './target-identity.ts';

export interface VirtualClusterProxyOptions {
  /** The options that every chain shares. */
  readonly chain: AuthenticatedChainOptions;
  readonly onPlane: GatewayHandlerOptions['onPlane'];
  readonly builtIn: BuiltInCluster;
  readonly targetFilter: Filter;
  /** Authenticates callers of the built-in cluster. */
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
}

/** The number of path segments before `proxyPath`: `/<api_prefix>/cluster/local`. */
const depthOfCluster = 3;
const wildcard = undefined;
const { group, version, plural: resource } = virtualClusterKind;
const proxyPath = ['apis', group, version, 'namespaces', wildcard, resource, wildcard, proxySubresource] as const;

/** True if the path leads into a virtual cluster. `start` is the index of the first segment below `/cluster/local`. */
export function isVirtualClusterProxyPath(segments: readonly string[], start: number): boolean {
  return (
    segments.length >= start + proxyPath.length &&
    proxyPath.every((segment, at) => {
      const found = segments[start + at];
      return segment === wildcard ? found !== '' : found === segment;
    })
  );
}

/**
 * The gateway to the virtual clusters of the built-in cluster. A caller with a credential of the built-in cluster needs
 * the permission `virtualclusters/proxy` there; a service account of the virtual cluster uses its own token.
 */
export function virtualClusterProxy(options: VirtualClusterProxyOptions): Handler {
  const { builtIn } = options;
  const plane = gatedPlane(builtIn.plane);
  const callers = new WeakMap<Exchange, Identity>();

  return gatewayHandler({
    ...options,
    pathDepth: depthOfCluster + proxyPath.length,
    async authenticate(token, exchange, enter) {
      const caller = await options.authenticate(token, exchange);
      if (caller !== undefined) {
        callers.set(exchange, caller);
        let decision: Promise<Decision> | undefined;
        return virtualClusterIdentity(caller, () => {
          decision ??= Promise.resolve(plane.authorize(caller, proxyAttributes(exchange)));
          return decision;
        });
      }
      const planeId = builtIn.virtualPlanes.planeIdAt(placeOf(exchange));
      // A token that the plane did not issue must not cause the plane to load.
      if (planeId === undefined || !(await builtIn.isTokenOf(planeId, token))) return undefined;
      const { plane: virtualPlane } = (await enter()).target;
      return virtualPlane && (await builtIn.authenticate(virtualPlane, token));
    },
    openSession: async (exchange) =>
      createPlaneSession(await builtIn.virtualPlanes.enter(placeOf(exchange)), (virtualPlane) =>
        builtIn.serve(virtualPlane),
      ),
    forbiddenError(exchange, { reason }) {
      const name = callers.get(exchange)?.user.name ?? '';
      const detail = denial(name, proxyAttributes(exchange), reason);
      return forbidden(groupResourceOf(virtualClusterKind), placeOf(exchange).name, detail);
    },
  });
}

function placeOf(exchange: Exchange): HostLocation {
  const segments = pathSegments(rawPath(exchange.request.url));
  return { namespace: segments[depthOfCluster + 4] ?? '', name: segments[depthOfCluster + 6] ?? '' };
}

/** The attributes of the permission that a request with this method needs. */
function proxyAttributes(exchange: Exchange): ResourceAttributes {
  return {
    resourceRequest: true,
    verb: parseRequestInfo(exchange.request.method, `/apis/${group}/${version}/${resource}/x`, new URLSearchParams())
      .verb,
    group,
    version,
    resource,
    subresource: proxySubresource,
    ...placeOf(exchange),
  };
}
