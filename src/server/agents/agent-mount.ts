import {
  type ActiveAccessKey,
  type AgentActivity,
  type AgentAnnouncement,
  agentPaths,
} from '../../api/agent/policy-feed.ts';
import { agentUser } from '../../api/naming.ts';
import { forbiddenPath, methodNotAllowedOnPath, pathNotFound } from '../../api/status.ts';
import { type AuthenticatedChainOptions, authenticatedChain } from '../../http/chain.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { pathSegments, rawPath } from '../../http/request/path-segments.ts';
import type { Mount } from '../../http/router.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { AgentAudit } from './agent-audit.ts';
import { readActivity, readAnnouncement, readAuditBatch, readKeyCheck } from './agent-requests.ts';
import { type PolicySource, streamPolicyFeed } from './stream-policy-feed.ts';

export interface AgentMountOptions {
  readonly apiPrefix: string;
  readonly chain: AuthenticatedChainOptions;
  readonly policy: PolicySource;
  announce(cluster: string, announcement: AgentAnnouncement): Promise<void>;
  /** Returns the active access key with this secret value; `undefined` if there is none. */
  activeKey(value: string): MaybePromise<ActiveAccessKey | undefined>;
  /** Called when an agent has authenticated with this access key. */
  onKeyUsed(cluster: string, keyName: string): Promise<void>;
  readonly audit: AgentAudit;
  /** Accepts a tunnel of the agent. */
  acceptTunnel(cluster: string, exchange: Exchange): Reply;
  /** Called when an agent reports the use of instances on its cluster. */
  onActivity(cluster: string, activity: AgentActivity): void;
}

/** Number of path segments before the path that a handler serves: `/<api_prefix>/agent/<cluster>`. */
const depth = 3;

/** The API for agents. Each agent has access only to the paths of its own cluster; users have access to none. */
export function agentMount(options: AgentMountOptions): Mount {
  const clusterOf = (exchange: Exchange): string => pathSegments(rawPath(exchange.request.url))[2] ?? '';

  const handlers: Readonly<Record<string, { readonly method: string; readonly handle: Handler }>> = {
    [agentPaths.policy]: {
      method: 'GET',
      handle: async (exchange) => ({
        status: 200,
        headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
        body: streamPolicyFeed(clusterOf(exchange), options.policy, exchange.signal),
      }),
    },
    [agentPaths.announcement]: {
      method: 'PUT',
      async handle(exchange) {
        await options.announce(clusterOf(exchange), await readAnnouncement(exchange));
        return jsonReply({});
      },
    },
    [agentPaths.keyCheck]: {
      method: 'POST',
      async handle(exchange) {
        const known = await options.activeKey((await readKeyCheck(exchange)).accessKey);
        if (known === undefined) throw pathNotFound();
        return jsonReply(known);
      },
    },
    [agentPaths.activity]: {
      method: 'POST',
      async handle(exchange) {
        options.onActivity(clusterOf(exchange), await readActivity(exchange));
        return jsonReply({});
      },
    },
    [agentPaths.audit]: {
      method: 'POST',
      handle: async (exchange) =>
        jsonReply(await options.audit.append(clusterOf(exchange), await readAuditBatch(exchange))),
    },
    [agentPaths.tunnel]: {
      method: 'GET',
      handle: async (exchange) => options.acceptTunnel(clusterOf(exchange), exchange),
    },
  };

  const handler = authenticatedChain(
    {
      ...options.chain,
      depth,
      authorize({ user, accessKey }, _attributes, exchange) {
        const isAgent = accessKey !== undefined && user.name === agentUser(clusterOf(exchange));
        if (!isAgent) throw forbiddenPath('these paths are only for the agent of the cluster');
        return { allowed: true, reason: 'the agent of the cluster' };
      },
    },
    async (exchange) => {
      const [, , cluster = '', path = '', ...more] = pathSegments(rawPath(exchange.request.url));
      const route = more.length === 0 && Object.hasOwn(handlers, path) ? handlers[path] : undefined;
      if (route === undefined) throw pathNotFound();
      if (exchange.request.method !== route.method) throw methodNotAllowedOnPath();
      await options.onKeyUsed(cluster, exchange.identity?.accessKey ?? '');
      return await route.handle(exchange);
    },
  );
  return { prefix: `/${options.apiPrefix}/agent`, handler };
}

function jsonReply(body: object): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}
