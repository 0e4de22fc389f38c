import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { proxySubresource, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { Decision, ResourceAttributes } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostPlace } from '../hosts/host.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { denial } from '../http/filters/authorize.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import { parseRequestInfo } from '../http/request-info.ts';
import type { BuiltInCluster, ClusterGatewayOptions } from './cluster-gateway.ts';
import { type EntranceOptions, entrance } from './entrance.ts';
import { gatedPlane } from './gated-plane.ts';
import { insidePlane } from './inside.ts';
import { inVirtualCluster } from './plane-identity.ts';

export interface ProxiedGatewayOptions extends Pick<ClusterGatewayOptions, 'chain' | 'onPlane'> {
  readonly builtIn: BuiltInCluster;
  readonly within: NonNullable<EntranceOptions['within']>;
  /** Knows whoever the built-in cluster knows. */
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
}

/** `/<api_prefix>/cluster/local` and what `proxyPath` has. */
const depthOfCluster = 3;
const anything = undefined;
const { group, version, plural: resource } = virtualClusterKind;
const proxyPath = ['apis', group, version, 'namespaces', anything, resource, anything, proxySubresource] as const;

/** Whether a path leads into a virtual cluster; its segments below the built-in cluster begin at `start`. */
export function isProxied(segments: readonly string[], start: number): boolean {
  return (
    segments.length >= start + proxyPath.length &&
    proxyPath.every((segment, at) => {
      const found = segments[start + at];
      return segment === anything ? found !== '' : found === segment;
    })
  );
}

/**
 * Requests to virtual clusters of the built-in cluster. Who comes with a credential of the built-in cluster needs the
 * right to `virtualclusters/proxy` there; an account of the virtual cluster itself comes with its own token.
 */
export function proxiedGateway(options: ProxiedGatewayOptions): Handler {
  const { builtIn } = options;
  const plane = gatedPlane(builtIn.plane);
  const callers = new WeakMap<Exchange, Identity>();

  return entrance({
    ...options,
    depth: depthOfCluster + proxyPath.length,
    async authenticate(token, exchange, enter) {
      const caller = await options.authenticate(token, exchange);
      if (caller !== undefined) {
        callers.set(exchange, caller);
        let passing: Promise<Decision> | undefined;
        return inVirtualCluster(caller, () => {
          passing ??= Promise.resolve(plane.authorize(caller, askedOf(exchange)));
          return passing;
        });
      }
      const planeId = builtIn.virtualPlanes.planeIdAt(placeOf(exchange));
      // Nobody has a plane loaded with a token that is not even of its making.
      if (planeId === undefined || !(await builtIn.isTokenOf(planeId, token))) return undefined;
      const { plane: entered } = (await enter()).inside;
      return entered && (await builtIn.authenticate(entered, token));
    },
    enter: async (exchange) =>
      insidePlane(await builtIn.virtualPlanes.enter(placeOf(exchange)), (entered) => builtIn.serve(entered)),
    refusal(exchange, { reason }) {
      const name = callers.get(exchange)?.user.name ?? '';
      const detail = denial(name, askedOf(exchange), reason);
      return forbidden(groupResourceOf(virtualClusterKind), placeOf(exchange).name, detail);
    },
  });
}

function placeOf(exchange: Exchange): HostPlace {
  const segments = pathSegments(rawPath(exchange.request.url));
  return { namespace: segments[depthOfCluster + 4] ?? '', name: segments[depthOfCluster + 6] ?? '' };
}

/** The right to get through with this method. */
function askedOf(exchange: Exchange): ResourceAttributes {
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
