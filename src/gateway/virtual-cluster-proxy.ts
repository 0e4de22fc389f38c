import { denialMessage } from '../api/denial-message.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { proxySubresource, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { Decision, ResourceAttributes } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { AuthenticatedChainOptions } from '../http/chain.ts';
import type { Exchange, Filter, Handler } from '../http/exchange.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { parseRequestInfo } from '../http/request/request-info.ts';
import type { BuiltInCluster } from './built-in-cluster.ts';
import { type GatewayHandlerOptions, gatewayHandler } from './gateway-handler.ts';
import { authorizeWithEntry } from './preauthorizing-plane.ts';
import { virtualClusterIdentity } from './target-identity.ts';

export interface VirtualClusterProxyOptions {
  /** The filter chain options that all gateways share. */
  readonly chain: AuthenticatedChainOptions;
  readonly onPlane: GatewayHandlerOptions['onPlane'];
  readonly builtIn: BuiltInCluster;
  readonly targetFilter: Filter;
  /** Authenticates a caller who has a credential of the built-in cluster. */
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
}

/** The number of path segments in `/<api_prefix>/cluster/local`, after which `proxyPath` follows. */
const depthOfCluster = 3;
const wildcard = undefined;
const { group, version, plural: resource } = virtualClusterKind;
const proxyPath = ['apis', group, version, 'namespaces', wildcard, resource, wildcard, proxySubresource] as const;

/**
 * True if the path is below the `proxy` subresource of a virtual cluster. `start` is the index of the first segment
 * after `/cluster/local`.
 */
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
 * Forwards requests to the virtual clusters on the built-in cluster. A caller of the built-in cluster needs permission
 * for the subresource `virtualclusters/proxy`. A service account of the virtual cluster uses its own token.
 */
export function virtualClusterProxy(options: VirtualClusterProxyOptions): Handler {
  const { builtIn } = options;
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
          decision ??= authorizeWithEntry(builtIn.local, caller, proxyAttributes(exchange));
          return decision;
        });
      }
      const planeId = builtIn.virtualPlanes.planeIdAt(placeOf(exchange));
      // Check the issuer first, so that an arbitrary token does not cause the plane to be loaded from disk.
      if (planeId === undefined || !(await builtIn.isTokenOf(planeId, token))) return undefined;
      return await (await enter()).target.authenticate?.(token);
    },
    openSession: (exchange) => builtIn.virtualPlanes.enter(placeOf(exchange)),
    forbiddenError(exchange, { reason }) {
      const name = callers.get(exchange)?.user.name ?? '';
      const detail = denialMessage(name, proxyAttributes(exchange), reason);
      return forbidden(groupResourceOf(virtualClusterKind), placeOf(exchange).name, detail);
    },
  });
}

function placeOf(exchange: Exchange): HostLocation {
  const segments = pathSegments(rawPath(exchange.request.url));
  return { namespace: segments[depthOfCluster + 4] ?? '', name: segments[depthOfCluster + 6] ?? '' };
}

/**
 * Returns the permission on `virtualclusters/proxy` that the request needs. The verb of the permission follows from the
 * HTTP method.
 */
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
