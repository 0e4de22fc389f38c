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
import { withSignal } from '../http/with-signal.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json-value.ts';
import { type EntranceOptions, entrance } from './entrance.ts';
import type { InstanceChanges } from './instance-changes.ts';
import type { InstanceDoors } from './instance-doors.ts';
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
  /** Service accounts of virtual clusters get in with their own tokens. */
  readonly serviceAccountTokens: boolean;
  readonly onPlane: EntranceOptions['onPlane'];
  readonly clock: Clock;
}

/** `/<api_prefix>/project/<project>/virtualcluster/<name>`. */
export const instanceDepth = 5;

interface Way {
  readonly project: string;
  readonly name: string;
  /** As it was when the caller came: who has which role is looked up in the very one that is entered. */
  instance?: KubeObject | undefined;
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

  /** Whom a gateway token stands for: good for that instance, and no longer than itself and its key. */
  async function holderOf(token: string, way: Way): Promise<Identity | undefined> {
    const payload = await options.tokens.verify(token);
    const claims = payload && readGatewayToken(payload, options.tokens.installation);
    if (claims === undefined || claims.expiresAt * 1000 <= clock.now()) return undefined;
    if (way.instance?.metadata.uid !== claims.instance) return undefined;
    const holder = options.resume(claims.accessKey);
    if (holder === undefined || holder.user.name !== claims.subject) return undefined;
    return { ...holder, scopes: claims.scopes, ends: claims.expiresAt * 1000 };
  }

  const throughTheDoor = entrance({
    ...options,
    depth: instanceDepth,
    async authenticate(token, exchange, enter) {
      const way = wayOf(exchange);
      const instance = options.instance(projectNamespace(way.project), way.name);
      way.instance = instance;
      if (instance !== undefined && isLongRunning(exchange)) way.changed = options.changes.of(instance);
      const known = (await options.chain.authenticate(token, exchange)) ?? (await holderOf(token, way));
      if (known !== undefined) {
        way.known = known;
        if (known.ends !== undefined) way.ends = known.ends;
        const roles = instance === undefined ? [] : rolesOf(callerOf(known.user), rolesInside(instance));
        const target: RequestTarget = {
          type: 'ProjectVirtualCluster',
          project: way.project,
          virtualCluster: way.name,
        };
        return inInstance(known, roles, (attributes) => options.authorize(known, { ...attributes, target }));
      }
      if (instance === undefined || !options.serviceAccountTokens) return undefined;
      const account = await doors.account(instance, { token, enter, ending: () => exchange.signal });
      if (account?.ends !== undefined) way.ends = account.ends;
      return account?.identity;
    },
    async enter(exchange) {
      const { instance, name } = wayOf(exchange);
      if (instance === undefined) throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
      const { request, info } = exchange;
      // Somebody has a shell or a port open; a watch of the same kind is a program's, which would keep it awake for ever.
      const isSession = request.upgrade !== undefined && info.verb !== 'watch';
      return await doors.enter(instance, () => exchange.signal, isSession);
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
      const rest: Handler = () =>
        ends === undefined || changed === undefined ? next(exchange) : untilEnd(exchange, ends, clock, next);
      return await (changed === undefined ? rest(exchange) : withSignal(exchange, changed, rest));
    },
  });

  const elsewhere = guardedChain({ ...options.chain, depth: 2 }, () => Promise.reject(noSuchPath()));
  return (exchange) => {
    const [, , project = '', collection, name = ''] = pathSegments(rawPath(exchange.request.url));
    if (project === '' || collection !== 'virtualcluster' || name === '') return elsewhere(exchange);
    ways.set(exchange, { project, name });
    return throughTheDoor(exchange);
  };
}
