import type { JsonObject } from '@flotilla/json';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../api/management/v1/virtual-cluster-instance.ts';
import { rolesOfHolder, virtualClusterRoles } from '../api/management/virtual-cluster-roles.ts';
import { projectNamespace } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden, notFound, pathNotFound } from '../api/status.ts';
import type { RequestTarget } from '../auth/authz/attributes.ts';
import { callerOf } from '../auth/authz/caller.ts';
import { readGatewayToken, type TokenKey } from '../auth/gateway-token.ts';
import type { Identity } from '../auth/identity.ts';
import { type AuthenticatedChainOptions, authenticatedChain } from '../http/chain.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { denialMessage } from '../http/filters/authorize.ts';
import { isLongRunning } from '../http/request/long-running.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { runWithAbortSignal } from '../http/request/with-signal.ts';
import type { Clock } from '../lib/clock.ts';
import { endAtCredentialExpiry } from './credential-expiry.ts';
import { type GatewayHandlerOptions, gatewayHandler } from './gateway-handler.ts';
import type { InstanceAccess } from './instance-access.ts';
import type { InstanceChanges } from './instance-changes.ts';
import { instanceIdentity, type ManagementAuthorizer } from './target-identity.ts';

export interface InstanceGatewayOptions {
  /** The filter chain options that all gateways share. Its `authenticate` accepts access keys. */
  readonly chain: AuthenticatedChainOptions;
  /** Decides with the permissions of the management API whether a caller may use an instance. */
  readonly authorize: ManagementAuthorizer;
  instance(namespace: string, name: string): VirtualClusterInstance | undefined;
  readonly access: InstanceAccess;
  readonly changes: InstanceChanges;
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
  /** True if service accounts of a virtual cluster may use the gateway with their own tokens. */
  readonly serviceAccountTokens: boolean;
  readonly onPlane: GatewayHandlerOptions['onPlane'];
  readonly clock: Clock;
}

/** The number of path segments in `/<api_prefix>/project/<project>/virtualcluster/<name>`. */
export const instancePathDepth = 5;

interface RequestContext {
  readonly project: string;
  readonly name: string;
  /**
   * The version of the instance that was current when the request arrived. Both the roles of the caller and the session
   * are based on this version.
   */
  instance?: VirtualClusterInstance | undefined;
  /** The caller's identity in the management API. Absent for a service account of the virtual cluster. */
  known?: Identity;
  /**
   * The expiry of the credential, in milliseconds since the epoch. Absent if the credential is valid as long as its
   * access key.
   */
  ends?: number;
  /** Fires when the instance is deleted or grants other roles. Present only for long-running requests. */
  changed?: AbortSignal;
}

/**
 * Forwards requests to the virtual clusters of instances (completions §8). A caller needs the permission to `use` the
 * instance, and sends an access key or a token that was issued for the instance. Inside the virtual cluster the caller
 * keeps its identity and has the roles that the instance grants.
 */
export function instanceGateway(options: InstanceGatewayOptions): Handler {
  const { clock, access } = options;
  const contexts = new WeakMap<Exchange, RequestContext>();
  const contextOf = (exchange: Exchange): RequestContext => {
    const context = contexts.get(exchange);
    if (context === undefined) throw pathNotFound();
    return context;
  };

  /**
   * Returns the identity of the user for whom a gateway token was issued; `undefined` if the token is invalid. A
   * gateway token is valid for one instance, and only as long as the access key from which it was issued.
   */
  async function holderOf(token: string, context: RequestContext): Promise<Identity | undefined> {
    const payload = await options.tokens.verify(token);
    const claims = payload && readGatewayToken(payload, options.tokens.installation);
    if (claims === undefined || claims.expiresAt * 1000 <= clock.now()) return undefined;
    if (context.instance?.metadata.uid !== claims.instance) return undefined;
    const holder = options.resume(claims.accessKey);
    if (holder === undefined || holder.user.name !== claims.subject) return undefined;
    return { ...holder, scopes: claims.scopes, expiresAt: claims.expiresAt * 1000 };
  }

  const forward = gatewayHandler({
    ...options,
    pathDepth: instancePathDepth,
    async authenticate(token, exchange, enter) {
      const context = contextOf(exchange);
      const instance = options.instance(projectNamespace(context.project), context.name);
      context.instance = instance;
      if (instance !== undefined && isLongRunning(exchange)) context.changed = options.changes.signalFor(instance);
      const known = (await options.chain.authenticate(token, exchange)) ?? (await holderOf(token, context));
      if (known !== undefined) {
        context.known = known;
        if (known.expiresAt !== undefined) context.ends = known.expiresAt;
        const roles = instance === undefined ? [] : rolesOfHolder(callerOf(known.user), virtualClusterRoles(instance));
        const target: RequestTarget = {
          type: 'ProjectVirtualCluster',
          project: context.project,
          virtualCluster: context.name,
        };
        return instanceIdentity(known, roles, (attributes) => options.authorize(known, { ...attributes, target }));
      }
      if (instance === undefined || !options.serviceAccountTokens) return undefined;
      const account = await access.authenticateServiceAccount(instance, {
        token,
        openSession: enter,
        abortSignal: () => exchange.signal,
      });
      if (account?.expiresAt !== undefined) context.ends = account.expiresAt;
      return account?.identity;
    },
    async openSession(exchange) {
      const { instance, name } = contextOf(exchange);
      if (instance === undefined) throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
      const { request, info } = exchange;
      // An open shell or port-forward keeps the instance awake. A watch over a WebSocket does not, because a program
      // may keep a watch open forever.
      const keepsAwake = request.upgrade !== undefined && info.verb !== 'watch';
      return await access.openSession(instance, () => exchange.signal, keepsAwake);
    },
    forbiddenError(exchange, { reason }) {
      const { project, name, known } = contextOf(exchange);
      const { group, version, plural: resource } = virtualClusterInstanceKind;
      const namespace = projectNamespace(project);
      const attributes = { resourceRequest: true, verb: 'use', group, version, resource, namespace, name } as const;
      const detail = denialMessage(known?.user.name ?? '', { ...attributes, subresource: '' }, reason);
      return forbidden(groupResourceOf(virtualClusterInstanceKind), name, detail);
    },
    async targetFilter(exchange, next) {
      const { ends, changed } = contextOf(exchange);
      const untilExpiry: Handler = () =>
        ends === undefined || changed === undefined
          ? next(exchange)
          : endAtCredentialExpiry(exchange, ends, clock, next);
      return await (changed === undefined ? untilExpiry(exchange) : runWithAbortSignal(exchange, changed, untilExpiry));
    },
  });

  const unknownPath = authenticatedChain({ ...options.chain, depth: 2 }, () => Promise.reject(pathNotFound()));
  return (exchange) => {
    const [, , project = '', collection, name = ''] = pathSegments(rawPath(exchange.request.url));
    if (project === '' || collection !== 'virtualcluster' || name === '') return unknownPath(exchange);
    contexts.set(exchange, { project, name });
    return forward(exchange);
  };
}
