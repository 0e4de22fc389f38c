import { clusterKind } from '../api/management/v1/cluster.ts';
import { groupResourceOf } from '../api/resource.ts';
import { noSuchPath, notFound, notImplemented } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { ClusterApi, HostPlace } from '../hosts/host.ts';
import type { GuardedChainOptions } from '../http/chain.ts';
import type { Exchange, Filter, Handler } from '../http/exchange.ts';
import { isLongRunning } from '../http/long-running.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import type { Plane } from '../http/plane.ts';
import { type EntranceOptions, entrance } from './entrance.ts';
import { insidePlane, type PlaneVisit, type Visit } from './inside.ts';
import { type Authorize, inCluster } from './plane-identity.ts';
import { isProxied, proxiedGateway } from './proxied-gateway.ts';
import { remoteCluster } from './remote-cluster.ts';
import type { TargetRooms } from './target-room.ts';
import { untilEnd } from './until-end.ts';

/** The built-in cluster, as its gateway needs it. */
export interface BuiltInCluster {
  readonly plane: Plane;
  readonly virtualPlanes: {
    /** Throws 404 and 503 for a virtual cluster that nobody can enter now. */
    enter(place: HostPlace): Promise<PlaneVisit>;
    /** The plane of the virtual cluster that is there; undefined: nobody can enter one there. */
    planeIdAt(place: HostPlace): string | undefined;
  };
  /** What answers for a plane, this one or that of a virtual cluster, to whom its gate lets through. */
  serve(plane: Plane): Handler;
  /** Whether a token was made for a service account of that plane; whether it is good still only the plane can tell. */
  isTokenOf(planeId: string, token: string): Promise<boolean>;
  /** The service account of that plane, which is in use, whom a good token stands for. */
  authenticate(plane: Plane, token: string): Promise<Identity | undefined>;
}

export interface ClusterGatewayOptions {
  /** The name of the cluster that is built into this process. */
  readonly builtInName: string;
  /** Absent: none is. */
  readonly builtIn?: BuiltInCluster;
  /** What every chain begins with; its `authenticate` knows access keys. */
  readonly chain: GuardedChainOptions;
  /** Decides for the management API. */
  readonly authorize: Authorize;
  /** Whoever works in the cluster itself, without being somebody whom the management API knows. Absent: nobody does. */
  known?(token: string): Identity | undefined;
  /** Whether the management API has a connected cluster of that name. */
  isCluster(name: string): boolean;
  /** The API of a connected cluster; undefined: this server has no way to it. */
  apiOf(name: string): ClusterApi | undefined;
  readonly rooms: TargetRooms;
  readonly onPlane: EntranceOptions['onPlane'];
}

/** `/<api_prefix>/cluster/<cluster>`. */
export const clusterDepth = 3;
const never = new AbortController().signal;

/**
 * The way to connected clusters themselves: who may `use` one gets in, and is in there who they are here. Below the
 * built-in one are the virtual clusters on it, too.
 */
export function clusterGateway(options: ClusterGatewayOptions): Handler {
  const { builtInName, builtIn, authorize } = options;
  const ends = new WeakMap<Exchange, number>();
  const within: Filter = (exchange, next) => {
    const end = ends.get(exchange);
    return end === undefined ? next(exchange) : untilEnd(exchange, end, options.chain.clock, next);
  };

  /** As the built-in cluster knows those who come to it again and again. */
  const callers = new WeakMap<Identity, Identity>();
  const callerIn = (known: Identity, cluster: string): Identity => {
    if (cluster !== builtInName) return inCluster(known, cluster, authorize);
    let caller = callers.get(known);
    if (caller === undefined) {
      caller = inCluster(known, cluster, authorize);
      callers.set(known, caller);
    }
    return caller;
  };

  const knownAs = (
    known: Identity | undefined,
    token: string,
    exchange: Exchange,
  ): Identity | undefined | Promise<Identity | undefined> => {
    const cluster = clusterOf(exchange);
    if (known?.ends !== undefined && isLongRunning(exchange)) ends.set(exchange, known.ends);
    if (known !== undefined) return callerIn(known, cluster);
    return cluster === builtInName ? builtIn?.authenticate(builtIn.plane, token) : undefined;
  };

  function authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined> {
    const inside = options.known?.(token);
    if (inside !== undefined) return inside;
    const known = options.chain.authenticate(token, exchange);
    return known instanceof Promise
      ? known.then((found) => knownAs(found, token, exchange))
      : knownAs(known, token, exchange);
  }

  const here =
    builtIn && insidePlane({ plane: builtIn.plane, signal: never, leave() {} }, (plane) => builtIn.serve(plane));

  function enter(exchange: Exchange): Visit {
    const cluster = clusterOf(exchange);
    if (cluster === builtInName && here !== undefined) return here;
    if (cluster === '') throw noSuchPath();
    if (!options.isCluster(cluster)) throw notFound(groupResourceOf(clusterKind), cluster);
    const name = `the cluster ${JSON.stringify(cluster)}`;
    const api = options.apiOf(cluster);
    if (api === undefined) throw notImplemented(`this server has no gateway to ${name}`);
    const room = options.rooms.of(cluster);
    const asWhom = ({ user }: Identity) => user;
    const ending = () => exchange.signal;
    return {
      inside: remoteCluster({ api, name, depth: clusterDepth, asWhom, room, ending }),
      signal: never,
      leave() {},
    };
  }

  const direct = entrance({ ...options, depth: clusterDepth, authenticate, enter, alwaysThere: true, within });
  const proxied = builtIn && proxiedGateway({ ...options, builtIn, authenticate, within });
  return (exchange) => {
    const segments = segmentsOf(exchange);
    const isHere = segments[2] === builtInName && proxied !== undefined;
    return isHere && isProxied(segments, clusterDepth) ? proxied(exchange) : direct(exchange);
  };
}

function segmentsOf(exchange: Exchange): readonly string[] {
  return exchange.segments ?? pathSegments(rawPath(exchange.request.url));
}

function clusterOf(exchange: Exchange): string {
  return segmentsOf(exchange)[2] ?? '';
}
