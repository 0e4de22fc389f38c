import type { JsonObject } from '@flotilla/json';
import { denialMessage } from '../api/denial-message.ts';
import { rolesOfHolder } from '../api/management/virtual-cluster-roles.ts';
import { projectNamespace } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden, notFound, pathNotFound } from '../api/status.ts';
import { callerOf } from '../auth/authz/caller.ts';
import { readGatewayToken, type TokenKey } from '../auth/gateway-token.ts';
import type { Identity } from '../auth/identity.ts';
import type { AuthenticatedChainOptions } from '../http/chain.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { isLongRunning } from '../http/request/long-running.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { runWithAbortSignal } from '../http/request/with-signal.ts';
import type { Clock } from '../lib/clock.ts';
import { andThen } from '../lib/maybe-promise.ts';
import { acceptAccount } from './account-tokens/accept-account.ts';
import { endWhenDenied } from './account-tokens/account-token-limits.ts';
import { isConsoleView } from './console-view.ts';
import { endAtCredentialExpiry } from './credential-expiry.ts';
import { type GatewayHandlerOptions, gatewayHandler } from './gateway-handler.ts';
import type { InstanceAccess } from './instance-access.ts';
import type { InstanceChanges } from './instance-changes.ts';
import type { InstanceRequest, ServiceAccountOptions } from './instance-request.ts';
import type { InstanceType, ProjectInstance } from './instance-type.ts';
import { instanceIdentity, type ManagementAuthorizer } from './target-identity.ts';

export interface InstanceGatewayOptions<Instance extends ProjectInstance> {
  readonly type: InstanceType<Instance>;
  /** The filter chain options that all gateways share. The option `authenticate` accepts access keys. */
  readonly chain: AuthenticatedChainOptions;
  /** Decides with the permissions of the management API whether a caller may use an instance. */
  readonly authorize: ManagementAuthorizer;
  instance(namespace: string, name: string): Instance | undefined;
  readonly access: InstanceAccess<Instance>;
  readonly changes: InstanceChanges<Instance>;
  readonly tokens: {
    /** The id of the installation whose tokens are accepted. */
    readonly installation: string;
    /** Returns the payload of a token; `undefined` if the installation did not sign the token. */
    verify(token: string): Promise<JsonObject | undefined>;
  };
  /**
   * Returns the identity for the access key from which a token was issued; `undefined` if the key is no longer valid.
   */
  resume(key: TokenKey): Identity | undefined;
  /**
   * The settings for service accounts that use the gateway with their own tokens. Absent if service accounts cannot use
   * the gateway.
   */
  readonly serviceAccounts?: ServiceAccountOptions<Instance>;
  readonly onPlane: GatewayHandlerOptions['onPlane'];
  /**
   * Counts a request that the target serves. For a watch, returns the function to call when the watch ends; otherwise
   * `undefined`. Called for each request, so it must be fast. Optional; agents do not count.
   */
  countRequest?(uid: string, isWatch: boolean): (() => void) | undefined;
  readonly clock: Clock;
}

/** The number of path segments in `/<api_prefix>/project/<project>/virtualcluster/<name>`. */
export const instancePathDepth = 5;

/**
 * Forwards requests to the virtual clusters or spaces of instances (completions §8). A caller needs the permission to
 * `use` the instance, and sends an access key or a token that was issued for the instance. Inside the virtual cluster
 * or space, the caller keeps its identity and has the roles that the instance grants.
 */
export function instanceGateway<Instance extends ProjectInstance>(options: InstanceGatewayOptions<Instance>): Handler {
  const { clock, access, type } = options;
  const { kind } = type;
  const contexts = new WeakMap<Exchange, InstanceRequest<Instance>>();
  const contextOf = (exchange: Exchange): InstanceRequest<Instance> => {
    const context = contexts.get(exchange);
    if (context === undefined) throw pathNotFound();
    return context;
  };

  const forward = gatewayHandler({
    ...options,
    pathDepth: instancePathDepth,
    async authenticate(token, exchange, enter) {
      const context = contextOf(exchange);
      const instance = options.instance(projectNamespace(context.project), context.name);
      context.instance = instance;
      if (instance !== undefined && isLongRunning(exchange)) context.changed = options.changes.signalFor(instance);
      const known = (await options.chain.authenticate(token, exchange)) ?? (await holderOf(options, token, instance));
      if (known !== undefined) return identityOf(options, context, known, exchange);
      const accounts = options.serviceAccounts;
      if (instance === undefined || accounts?.areAccepted !== true) return undefined;
      const account = await access.authenticateServiceAccount(instance, {
        token,
        openSession: enter,
        abortSignal: () => exchange.signal,
      });
      return account && acceptAccount({ ...options, ...accounts }, account, token, context);
    },
    async openSession(exchange) {
      const { instance, name } = contextOf(exchange);
      if (instance === undefined) throw notFound(groupResourceOf(kind), name);
      const { request, info } = exchange;
      // An open shell or port-forward keeps the instance awake. A watch over a WebSocket does not, because a program
      // may keep a watch open forever.
      const isInteractive = request.upgrade !== undefined && info.verb !== 'watch';
      const use = isConsoleView(exchange) ? 'none' : isInteractive ? 'continuous' : 'brief';
      return await access.openSession(instance, () => exchange.signal, use);
    },
    forbiddenError(exchange, { reason, boundary }) {
      // Return the default error: the caller may use the instance, but the request is outside of the boundary of the
      // instance.
      if (boundary !== undefined) return undefined;
      const { project, name, known } = contextOf(exchange);
      const { group, version, plural: resource } = kind;
      const namespace = projectNamespace(project);
      const attributes = { resourceRequest: true, verb: 'use', group, version, resource, namespace, name } as const;
      const detail = denialMessage(known?.user.name ?? '', { ...attributes, subresource: '' }, reason);
      return forbidden(groupResourceOf(kind), name, detail);
    },
    async targetFilter(exchange, next) {
      const { ends, changed, isStillAllowed, instance } = contextOf(exchange);
      const endWatch = options.countRequest?.(instance?.metadata.uid ?? '', exchange.info.verb === 'watch');
      if (endWatch !== undefined) exchange.end.onEnd(endWatch);
      const whileAllowed: Handler = () =>
        isStillAllowed === undefined || changed === undefined
          ? next(exchange)
          : endWhenDenied(exchange, isStillAllowed, clock, next);
      const untilExpiry: Handler = () =>
        ends === undefined || changed === undefined
          ? whileAllowed(exchange)
          : endAtCredentialExpiry(exchange, ends, clock, whileAllowed);
      return await (changed === undefined ? untilExpiry(exchange) : runWithAbortSignal(exchange, changed, untilExpiry));
    },
  });

  return (exchange) => {
    const [, , project = '', , name = ''] = pathSegments(rawPath(exchange.request.url));
    contexts.set(exchange, { project, name });
    return forward(exchange);
  };
}

/**
 * Returns the identity of the user for whom a gateway token was issued; `undefined` if the token is invalid. A gateway
 * token is valid for one instance, and only as long as the access key from which the token was issued is valid.
 */
async function holderOf<Instance extends ProjectInstance>(
  { tokens, resume, clock }: InstanceGatewayOptions<Instance>,
  token: string,
  instance: Instance | undefined,
): Promise<Identity | undefined> {
  const payload = await tokens.verify(token);
  const claims = payload && readGatewayToken(payload, tokens.installation);
  if (claims === undefined || claims.expiresAt * 1000 <= clock.now()) return undefined;
  if (instance?.metadata.uid !== claims.instance) return undefined;
  const holder = resume(claims.accessKey);
  if (holder === undefined || holder.user.name !== claims.subject) return undefined;
  return { ...holder, scopes: claims.scopes, expiresAt: claims.expiresAt * 1000 };
}

/** Returns the identity of a user of the management API inside the instance. */
function identityOf<Instance extends ProjectInstance>(
  { type, authorize }: InstanceGatewayOptions<Instance>,
  context: InstanceRequest<Instance>,
  known: Identity,
  exchange: Exchange,
): Identity {
  context.known = known;
  if (known.expiresAt !== undefined) context.ends = known.expiresAt;
  const { instance } = context;
  const granted = instance && type.rolesOf?.(instance);
  const roles = granted === undefined ? [] : rolesOfHolder(callerOf(known.user), granted);
  const target = type.targetOf(context.project, context.name);
  return instanceIdentity(known, roles, (attributes) =>
    andThen(authorize(known, { ...attributes, target }), (decision) =>
      !decision.allowed || instance === undefined || type.restrict === undefined
        ? decision
        : type.restrict(decision, instance, attributes, exchange.info),
    ),
  );
}
