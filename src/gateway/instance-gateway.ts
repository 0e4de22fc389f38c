import { rolesInside, rolesOf } from '../api/management/roles-inside.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden, noSuchPath, notFound } from '../api/status.ts';
import type { RequestTarget } from '../auth/authz/attributes.ts';
import { callerOf } from '../auth/authz/caller.ts';
import { readGatewayToken, type TokenKey } from '../auth/gateway-token.ts';
import type { Identity } from '../auth/identity.ts';
import { type GuardedChainOptions, guardedChain } from '../http/chain.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { denial } from '../http/filters/authorize.ts';
import { isLongRunning } from '../http/long-running.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import type { Plane } from '../http/plane.ts';
import { withSignal } from '../http/with-signal.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { InstanceChanges } from './instance-changes.ts';
import type { InstanceDoors } from './instance-doors.ts';
import { planeEntrance } from './plane-entrance.ts';
import { type Authorize, inInstance } from './plane-identity.ts';
import { untilEnd } from './until-end.ts';

export interface InstanceGatewayOptions {
  /** What every chain begins with; its `authenticate` knows access keys. */
  readonly chain: GuardedChainOptions;
  /** Decides for the management API. */
  readonly authorize: Authorize;
  instance(namespace: string, name: string): KubeObject | undefined;
  readonly doors: InstanceDoors;
  readonly changes: InstanceChanges;
  readonly tokens: {
    /** Whose tokens are taken. */
    readonly installation: string;
    /** What a token says that the installation signed; undefined: it did not. */
    verify(token: string): Promise<JsonObject | undefined>;
  };
  /** Whoever made something with that key, for as long as it is good. */
  resume(key: TokenKey): Identity | undefined;
  /** Service accounts of virtual clusters get in with their own tokens. Absent: they do not. */
  readonly accounts?: {
    isTokenOf(planeId: string, token: string): Promise<boolean>;
    authenticate(plane: Plane, token: string): Promise<Identity | undefined>;
  };
  serve(plane: Plane): Handler;
  onPlane(exchange: Exchange, plane: Plane): void;
  readonly clock: Clock;
}

/** `/<api_prefix>/project/<project>/virtualcluster/<name>`. */
const depth = 5;

interface Way {
  readonly project: string;
  readonly name: string;
  /** The caller as the management API knows them. */
  known?: Identity;
  /** When the credential ends, in milliseconds since the epoch; absent: with its key. */
  ends?: number;
  /** Of what lasts: ends it when the instance goes or gives other roles. */
  changed?: AbortSignal;
}

/**
 * The way to the virtual clusters of projects (completions §8). Who may `use` an instance gets in, with an access key or
 * with a token that was made for this very instance; inside they are who they are outside, with the roles that the
 * instance gives them.
 */
export function instanceGateway(options: InstanceGatewayOptions): Handler {
  const { clock, doors } = options;
  const ways = new WeakMap<Exchange, Way>();
  const wayOf = (exchange: Exchange): Way => {
    const way = ways.get(exchange);
    if (way === undefined) throw noSuchPath();
    return way;
  };
  const instanceOf = ({ project, name }: Way): KubeObject | undefined =>
    options.instance(projectNamespace(project), name);

  /** Whom a gateway token stands for: good for that instance, and no longer than itself and its key. */
  async function holderOf(token: string, way: Way): Promise<Identity | undefined> {
    const payload = await options.tokens.verify(token);
    const claims = payload && readGatewayToken(payload, options.tokens.installation);
    if (claims === undefined || claims.expiresAt * 1000 <= clock.now()) return undefined;
    if (instanceOf(way)?.metadata.uid !== claims.instance) return undefined;
    const holder = options.resume(claims.accessKey);
    if (holder === undefined || holder.user.name !== claims.subject) return undefined;
    way.ends = claims.expiresAt * 1000;
    return { ...holder, scopes: claims.scopes };
  }

  const entrance = planeEntrance({
    ...options,
    depth,
    async authenticate(token, exchange, enter) {
      const way = wayOf(exchange);
      const known = (await options.chain.authenticate(token, exchange)) ?? (await holderOf(token, way));
      const instance = instanceOf(way);
      if (instance !== undefined && isLongRunning(exchange)) way.changed = options.changes.of(instance);
      if (known !== undefined) {
        way.known = known;
        const roles = instance === undefined ? [] : rolesOf(callerOf(known.user), rolesInside(instance));
        const target: RequestTarget = {
          type: 'ProjectVirtualCluster',
          project: way.project,
          virtualCluster: way.name,
        };
        return inInstance(known, roles, (attributes) => options.authorize(known, { ...attributes, target }));
      }
      const standing = instance && doors.standingOf(instance);
      // Nobody wakes or loads a plane with a token that is not even of its making.
      if (standing === undefined || !(await options.accounts?.isTokenOf(standing.planeId, token))) return undefined;
      return await options.accounts?.authenticate((await enter()).plane, token);
    },
    async enter(exchange) {
      const way = wayOf(exchange);
      const instance = instanceOf(way);
      if (instance === undefined) throw notFound(groupResourceOf(virtualClusterInstanceKind), way.name);
      return await doors.enter(instance, () => exchange.signal);
    },
    refusal(exchange, { reason }) {
      const { project, name, known } = wayOf(exchange);
      const { group, version, plural: resource } = virtualClusterInstanceKind;
      const namespace = projectNamespace(project);
      const asked = { resourceRequest: true, verb: 'use', group, version, resource, namespace, name } as const;
      const detail = denial(known?.user.name ?? '', { ...asked, subresource: '' }, reason);
      return forbidden(groupResourceOf(virtualClusterInstanceKind), name, detail);
    },
    async within(exchange, next) {
      const { ends, changed } = wayOf(exchange);
      const rest = () => (ends === undefined || changed === undefined ? next() : untilEnd(exchange, ends, clock, next));
      return await (changed === undefined ? rest() : withSignal(exchange, changed, rest));
    },
  });

  const elsewhere = guardedChain({ ...options.chain, depth: 2 }, () => Promise.reject(noSuchPath()));
  return (exchange) => {
    const [, , project = '', collection, name = ''] = pathSegments(rawPath(exchange.request.url));
    if (project === '' || collection !== 'virtualcluster' || name === '') return elsewhere(exchange);
    ways.set(exchange, { project, name });
    return entrance(exchange);
  };
}
